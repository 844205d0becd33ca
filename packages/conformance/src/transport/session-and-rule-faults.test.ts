import { WaybillError } from "@waybill/core";
import { describe } from "vitest";
import { catches } from "./faulty-transport.test-support.js";

describe("transportCases", () => {
  describe("catches a transport that", () => {
    catches("gives a session to two receivers", "sessions: accepting a locked session", {
      acceptSession: (accept) => (address, id, options) =>
        accept(address, id, options).catch(() => accept(address, "another", options)),
    });
    catches("accepts any session although an id was given", "sessions: a receiver gets only messages", {
      acceptSession: (accept) => (address, _, options) => accept(address, "ben", options),
    });
    catches("rejects with not-supported instead of timeout", "sessions: accepting the next session rejects", {
      acceptSession: (accept) => (address, id, options) =>
        accept(address, id, options).catch(() => {
          throw new WaybillError("not-supported", "No session.");
        }),
    });
    catches(
      "keeps a session when its receiver is closed",
      "sessions: closing the receiver releases",
      { session: () => ({ close: async () => {} }) },
      "WaybillError",
    );
    catches("has no session state", "sessions: the state is set, kept", {
      session: () => ({ setState: async () => {} }),
    });
    catches("shares one state among sessions", "sessions: each session has its own state", {
      session: () => ({ getState: async () => Uint8Array.of(1) }),
    });
    catches("returns a new end without renewing the session lock", "sessions: the session lock lasts", {
      session: (session) => ({
        renewSessionLock: async () => new Date(session.sessionLockedUntilUtc.getTime() + 10_000),
      }),
    });
    catches("confuses the two lock errors", "sessions: a session whose lock expired", {
      session: (session) => ({
        complete: (handle) =>
          session.complete(handle).catch(() => {
            throw new WaybillError("message-lock-lost", "The lock is gone.");
          }),
      }),
    });
    catches("peeks messages of other sessions", "sessions: peeking returns only", {
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
    catches("deletes rules that do not exist", "rules: deleting a rule that does not exist", {
      rules: (rules) => ({ deleteRule: (name) => rules.deleteRule(name).catch(() => {}) }),
    });
    catches("overwrites rules", "rules: creating a rule whose name exists", {
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
    catches(
      "continues to work after its transport was closed",
      "lifecycle: listRules rejects with closed when the",
      {
        rules: () => ({ listRules: async () => [] }),
      },
    );
    catches("ignores a lost session", "lifecycle: getState rejects with session-lock-lost", {
      session: () => ({ getState: async () => undefined }),
    });
    catches("rejects with the signal's error", "lifecycle: acceptSession rejects with aborted", {
      acceptSession: (accept) => (address, id, options) => {
        options.abortSignal?.throwIfAborted();
        return accept(address, id, options);
      },
    });
  });
});
