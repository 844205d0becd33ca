import type { TransportCapability } from "@waybill/core/transport";
import type { Case } from "../../case.js";
import type { TransportFixture, TransportSubject } from "./transport-subject.js";

/**
 * Creates the cases of a subject, each with a harness on a new fixture. Names begin with the topic of the cases, if there
 * is one; `needs` are the capabilities of all of them, `more` those of one.
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
