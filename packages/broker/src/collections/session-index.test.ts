import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBroker } from "../client/broker.js";
import { SessionIndex } from "./session-index.js";

describe("SessionIndex", () => {
  it("behaves like a Map, in its order, for any additions and removals", () => {
    const command = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("add" as const), id: fc.nat(60) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), id: fc.nat(60) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 400 }), (commands) => {
        const index = new SessionIndex<Session>();
        const model = new Map<string, Session>();
        for (const { kind, id: number } of commands) {
          const id = `s${number}`;
          const known = model.get(id);
          if (kind === "add" && known === undefined) {
            const session = stub(id);
            index.add(session);
            model.set(id, session);
          } else if (kind === "remove" && known !== undefined) {
            index.remove(known);
            model.delete(id);
          }
          expect(index.find(id)).toBe(model.get(id));
        }
        expect([...index.all()]).toEqual([...model.values()]);
      }),
      { numRuns: 200 },
    );
  });

  it("finds each of many sessions, with any ids", () => {
    const index = new SessionIndex<Session>();
    const ids = ["", "\0", "\u{1F600}", "x".repeat(128), ...Array.from({ length: 5000 }, (_, i) => `s${i}`)];
    const sessions = ids.map(stub);
    for (const session of sessions) index.add(session);
    expect(ids.map((id) => index.find(id))).toEqual(sessions);
    expect(index.find("s5000")).toBeUndefined();
  });

  it("keeps a new session with the id of a removed one", () => {
    const index = new SessionIndex<Session>();
    const first = stub("s");
    const second = stub("s");
    index.add(first);
    index.remove(first);
    index.add(second);
    index.remove(first);
    expect(index.find("s")).toBe(second);
  });
});

it("removes a session whose only message was settled, and keeps one with state", async () => {
  const broker = createBroker();
  await broker.createQueue("q", { requiresSession: true });
  const sender = broker.sender("q");
  for (const sessionId of ["a", "b"]) {
    await sender.send({ sessionId, body: { section: "data", bytes: new Uint8Array(1) } });
    const session = await broker.acceptSession("q", { sessionId });
    const [message] = await session.receive();
    await session.complete(message!);
    if (sessionId === "b") await session.setState(new Uint8Array(1));
    await session.close();
  }
  expect(broker.snapshot().stores[0]!.sessions.map(({ sessionId }) => sessionId)).toEqual(["b"]);
});

interface Session {
  readonly id: string;
}

function stub(id: string): Session {
  return { id };
}
