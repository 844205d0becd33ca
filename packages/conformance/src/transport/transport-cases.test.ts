import type { Transport } from "@waybill/core";
import type {
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { clientCases } from "../client/client-cases.js";
import { findCase, localSubject } from "./faulty-transport.test-support.js";
import { operations } from "./harness/operations.js";
import { transportCases } from "./transport-cases.js";

/** The asynchronous methods of a part of the contract; `close` has separate cases. */
type OperationOf<Part> = Exclude<
  { [Key in keyof Part]-?: Part[Key] extends (...args: never) => Promise<unknown> ? Key : never }[keyof Part],
  "close" | typeof Symbol.asyncDispose
>;
type OperationName =
  | OperationOf<Transport>
  | OperationOf<TransportSender>
  | OperationOf<TransportSessionReceiver>
  | OperationOf<TransportRuleManager>;

describe("operations", () => {
  it("are complete: the compiler refuses this list when the contract changes", () => {
    const named: Record<OperationName, true> = {
      send: true,
      createBatch: true,
      sendBatch: true,
      schedule: true,
      cancelScheduled: true,
      receive: true,
      receiveDeferred: true,
      peek: true,
      complete: true,
      abandon: true,
      defer: true,
      deadLetter: true,
      renewLock: true,
      acceptSession: true,
      renewSessionLock: true,
      getState: true,
      setState: true,
      createRule: true,
      deleteRule: true,
      listRules: true,
    };
    expect(operations.map(({ name }) => name).toSorted()).toEqual(Object.keys(named).toSorted());
  });
});

describe("transportCases", () => {
  it("has no two cases of one name", () => {
    const names = transportCases(localSubject()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("requires that every operation of a missing capability rejects", () => {
    const negative = transportCases({ ...localSubject(), capabilities: [] })
      .map(({ name }) => name)
      .filter((name) => name.startsWith("without "));
    expect(negative).toEqual([
      "without scheduling: schedule rejects with not-supported",
      "without scheduling: cancelScheduled rejects with not-supported",
      "without deferral: defer rejects with not-supported",
      "without deferral: receiveDeferred rejects with not-supported",
      "without sessions: acceptSession rejects with not-supported",
      "without rules: listRules rejects with not-supported",
      "without rules: createRule rejects with not-supported",
      "without rules: deleteRule rejects with not-supported",
      "without transferDeadLetter: receive from the transfer dead-letter queue rejects with not-supported",
    ]);
  });

  it("tells which operation of a missing capability does not reject", async () => {
    const cases = transportCases({ ...localSubject(), capabilities: [] });
    const answers = await Promise.all(
      cases
        .filter(({ name }) => name.startsWith("without "))
        .map(({ name, run }) =>
          run().then(
            () => `${name}: passed`,
            (error: Error) => error.message.split("\n")[0],
          ),
        ),
    );
    expect(answers).toMatchInlineSnapshot(`
      [
        "schedule resolved instead of rejecting with not-supported",
        "cancelScheduled rejected with: [message-not-found] entity "queue-1": There is no scheduled message with sequence number 1 in 'queue-1'.",
        "defer resolved instead of rejecting with not-supported",
        "receiveDeferred rejected with: [message-not-found] entity "queue-1": There is no deferred message with sequence number 1 in 'queue-1'.",
        "acceptSession rejected with: [operation-invalid] entity "queue-1": A sessionful message receiver cannot be created on an entity that does not require sessions. Ensure RequiresSession is set to true when creating a Queue or Subscription to enable sessionful behavior: 'queue-1'.",
        "listRules resolved instead of rejecting with not-supported",
        "createRule resolved instead of rejecting with not-supported",
        "deleteRule resolved instead of rejecting with not-supported",
        "receive from the transfer dead-letter queue resolved instead of rejecting with not-supported",
      ]
    `);
  });

  it("tells which operation of a missing capability never ends", async () => {
    const subject = localSubject({ acceptSession: () => () => new Promise(() => {}) });
    const waiting = findCase(transportCases({ ...subject, capabilities: [] }), "without sessions");
    await expect(waiting.run()).rejects.toThrow("acceptSession rejected with");
  });

  it("skips nothing when every capability exists", () => {
    const names = transportCases(localSubject()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("without "))).toEqual([]);
    for (const family of ["sessions: ", "rules: ", "lifecycle: acceptSession ", "lifecycle: listRules "])
      expect(
        names.some((name) => name.startsWith(family)),
        family,
      ).toBe(true);
  });
});

describe("clientCases", () => {
  it("can run for several subjects in one process: what was read for one is not known to the next", async () => {
    for (const capabilities of [["deferral"], []] as const)
      for (const { name, run } of clientCases({ ...localSubject(), capabilities }))
        if (name.startsWith("redelivery: a ")) await run();
  });
});
