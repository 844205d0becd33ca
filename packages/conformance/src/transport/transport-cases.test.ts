import { type Transport, WaybillError } from "@waybill/core";
import type {
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { operations } from "./operations.js";
import { referenceSubject } from "./reference-transport.test-support.js";
import { transportCases } from "./transport-cases.js";

/** What is asynchronous in a part of the contract; `close` has cases of its own. */
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
  it("are all that the contract has: the compiler refuses this list when the contract changes", () => {
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
  describe("passes a transport with every capability", () => {
    for (const { name, run } of transportCases(referenceSubject())) it(name, run);
  });

  describe("catches a transport that", () => {
    catches("gives a session to two receivers", "sessions: a session that is held", {
      acceptSession: (accept) => (address, id, options) =>
        accept(address, id, options).catch(() => accept(address, "another", options)),
    });
    catches("accepts any session where one is named", "sessions: a receiver gets its session's messages", {
      acceptSession: (accept) => (address, _, options) => accept(address, "ben", options),
    });
    catches("says not-supported where time ran out", "sessions: waiting for a next session", {
      acceptSession: (accept) => (address, id, options) =>
        accept(address, id, options).catch(() => {
          throw new WaybillError("not-supported", "No session.");
        }),
    });
    catches("keeps a session when its receiver is closed", "sessions: closing the receiver frees", {
      session: () => ({ close: async () => {} }),
    });
    catches("has no session state", "sessions: the state is set, kept", {
      session: () => ({ setState: async () => {} }),
    });
    catches("shares one state among sessions", "sessions: each session has a state", {
      session: () => ({ getState: async () => Uint8Array.of(1) }),
    });
    catches("renews a session only on paper", "sessions: the session's lock is", {
      session: (session) => ({
        renewSessionLock: async () => new Date(session.sessionLockedUntilUtc.getTime() + 10_000),
      }),
    });
    catches("mixes up the two locks", "sessions: a session whose lock ran out", {
      session: (session) => ({
        complete: (handle) =>
          session.complete(handle).catch(() => {
            throw new WaybillError("message-lock-lost", "The lock is gone.");
          }),
      }),
    });
    catches("peeks into other sessions", "sessions: peeking sees", {
      session: (session) => ({
        peek: async (options) => {
          const messages = await session.peek(options);
          return [...messages, ...messages];
        },
      }),
    });
    catches("ignores filters", "rules: a SQL filter selects", {
      rules: (rules) => ({
        createRule: (rule) => rules.createRule({ ...rule, filter: { sqlExpression: "1 = 1" } }),
      }),
    });
    catches("ignores actions", "rules: an action changes", {
      rules: (rules) => ({ createRule: ({ name, filter }) => rules.createRule({ name, filter }) }),
    });
    catches("deletes what is not there", "rules: deleting a rule that is not there", {
      rules: (rules) => ({ deleteRule: (name) => rules.deleteRule(name).catch(() => {}) }),
    });
    catches("overwrites rules", "rules: a name that is taken", {
      rules: (rules) => ({
        async createRule(rule) {
          await rules.deleteRule(rule.name).catch(() => {});
          await rules.createRule(rule);
        },
      }),
    });
    catches("lists rules without their actions", "rules: rules are listed as they were", {
      rules: (rules) => ({
        listRules: async () => (await rules.listRules()).map(({ name, filter }) => ({ name, filter })),
      }),
    });
    catches("works on after its transport was closed", "lifecycle: listRules rejects with closed when the", {
      rules: () => ({ listRules: async () => [] }),
    });
    catches("ignores a lost session", "lifecycle: getState rejects with session-lock-lost", {
      session: () => ({ getState: async () => undefined }),
    });
    catches("lets a call end in the signal's own error", "lifecycle: acceptSession rejects with aborted", {
      acceptSession: (accept) => (address, id, options) => {
        options.abortSignal?.throwIfAborted();
        return accept(address, id, options);
      },
    });
  });
});

/** What a broken transport does differently. */
interface Fault {
  acceptSession?(accept: Transport["acceptSession"]): Transport["acceptSession"];
  session?(session: TransportSessionReceiver): Partial<TransportSessionReceiver>;
  rules?(rules: TransportRuleManager): Partial<TransportRuleManager>;
}

/** Registers a test that a clause which the reference obeys fails for the broken transport made from it, by itself or by a call that rejects. */
function catches(name: string, clause: string, fault: Fault): void {
  it(`${name}: "${clause}"`, async () => {
    const subject = referenceSubject((transport) => breakTransport(transport, fault));
    const judged = transportCases(subject).find((one) => one.name.startsWith(clause));
    await expect(judged?.run()).rejects.toThrow(
      expect.objectContaining({ name: expect.stringMatching(/^(Assertion|Waybill)Error$/) }),
    );
  });
}

function breakTransport(transport: Transport, fault: Fault): Transport {
  const accept = transport.acceptSession.bind(transport);
  const acceptBroken = fault.acceptSession?.(accept) ?? accept;
  return over(transport, {
    async acceptSession(address, id, options) {
      const session = await acceptBroken(address, id, options);
      return over(session, fault.session?.(session) ?? {});
    },
    createRuleManager(topic, subscription) {
      const rules = transport.createRuleManager(topic, subscription);
      return over(rules, fault.rules?.(rules) ?? {});
    },
  });
}

/** The object with some members replaced; the others keep working on the object itself. */
function over<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
