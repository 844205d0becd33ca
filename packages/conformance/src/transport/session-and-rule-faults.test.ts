import { WaybillError } from "@waybill/core";
import { describe } from "vitest";
import { catches } from "./faulty-transport.test-support.js";

describe("transportCases", () => {
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
    catches(
      "keeps a session when its receiver is closed",
      "sessions: closing the receiver frees",
      { session: () => ({ close: async () => {} }) },
      "WaybillError",
    );
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
