import type { Transport } from "@waybill/core";
import type {
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { localSubject } from "./faulty-transport.test-support.js";
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
