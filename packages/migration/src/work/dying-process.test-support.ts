import type { ManualClock } from "@waybill/broker";
import type { Transport } from "@waybill/core";
import { localTransport } from "@waybill/transport-local";
import type { openFixture } from "../fixture.test-support.js";

/** The connection of a process that is killed at one of its calls. */
interface DyingProcess {
  readonly transport: Transport;
  readonly death: Promise<"died">;
}

/**
 * The connection of a process that is killed at one of its calls to the broker: the call takes effect, and nothing that the process has called is
 * answered any more. What it had locked stays locked until the locks expire.
 */
export function dyingProcess(
  { broker }: Pick<ReturnType<typeof openFixture>, "broker">,
  atCall: number,
): DyingProcess {
  let calls = 0;
  let die = (_: "died") => {};
  const death = new Promise<"died">((resolve) => {
    die = resolve;
  });
  const never = () => new Promise<never>(() => {});
  const dying = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const act = () => Reflect.apply(value, target, args) as unknown;
          if (name === "createSender" || name === "createReceiver") return dying(act() as object);
          calls++;
          if (calls > atCall) return never();
          const answer = act();
          if (calls === atCall) die("died");
          return arriving(answer);
        };
      },
    });
  const arriving = async (answer: unknown) => {
    const result: unknown = await answer;
    if (calls >= atCall) return await never();
    const isSession = typeof result === "object" && result !== null && "getState" in result;
    return isSession ? dying(result) : result;
  };
  return { transport: dying(localTransport(broker)), death };
}

/** Lets the broker's clock run, a second at a time, until the work is done. */
export async function whileTimePasses<Result>(clock: ManualClock, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    for (let turn = 0; turn < 20 && !isDone; turn++) await new Promise(setImmediate);
    if (!isDone) clock.advance(1_000);
  }
  return await work;
}
