import type { TransportCapability } from "@waybill/core/transport";
import type { Case } from "../../case.js";
import type { TransportFixture, TransportSubject } from "./transport-subject.js";

/**
 * How cases of a subject are made that each have a harness on a fixture of their own. Names begin with what the cases are about, where that is
 * said; `needs` are the capabilities that all of them are about, `more` those of one.
 */
export function caseMaker<Harness>(
  Harness: new (fixture: TransportFixture, subject: TransportSubject) => Harness,
) {
  return (subject: TransportSubject, about?: string, ...needs: readonly TransportCapability[]) =>
    (
      name: string,
      run: (harness: Harness) => Promise<unknown>,
      ...more: readonly TransportCapability[]
    ): Case => ({
      name: about === undefined ? name : `${about}: ${name}`,
      needs: [...needs, ...more],
      async run() {
        await using fixture = await subject.create();
        await run(new Harness(fixture, subject));
      },
    });
}
