import assert from "node:assert/strict";
import { decodeFailure, type Serializer } from "@waybill/core";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { type ProcessingTrial, processingCase } from "./processing-trial.js";

/** A session's state is a value, written and read by serializers as bodies are. */
export function sessionStateCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: ProcessingTrial) => Promise<void>) =>
    processingCase(subject, `session state: ${name}`, run);
  return [
    law("a value comes back, until it is cleared", async (trial) => {
      const queue = await trial.queue([], { requiresSession: true });
      const session = await trial.client().acceptSession(queue, "ada");
      assert.equal(await session.getSessionState(), undefined);
      await session.setSessionState({ total: 3, items: ["lamp"] });
      await session.close();
      const again = await trial.client().acceptSession(queue, "ada");
      assert.deepEqual(await again.getSessionState(), { total: 3, items: ["lamp"] });
      await again.setSessionState(undefined);
      assert.equal(await again.getSessionState(), undefined);
      assert.equal((await again.getRawSessionState())?.length ?? 0, 0);
    }),
    law("a newer version reads what an older one wrote in another format", async (trial) => {
      const queue = await trial.queue([], { requiresSession: true });
      const older = await trial.client({ serializer: reversed }).acceptSession(queue, "ada");
      await older.setSessionState({ total: 3 }, { stateType: "Cart" });
      await older.close();
      const newer = trial.client({ serializer: plainJson, additionalDeserializers: [reversed] });
      const session = await newer.acceptSession(queue, "ada");
      assert.deepEqual(await session.getSessionState(), { total: 3, type: "Cart" });
    }),
    law("a state that others wrote is read on evidence", async (trial) => {
      const queue = await trial.queue([], { requiresSession: true });
      const session = await trial.client().acceptSession(queue, "ada");
      await session.setRawSessionState(new TextEncoder().encode('{"total":3}'));
      assert.deepEqual(await session.getSessionState(), { total: 3 });
      await session.setRawSessionState(new TextEncoder().encode("null"));
      assert.equal(await session.getSessionState(), undefined);
    }),
    law("a state that nobody can read stays as it is", async (trial) => {
      const queue = await trial.queue([], { requiresSession: true });
      const session = await trial.client().acceptSession(queue, "ada");
      const bytes = Uint8Array.of(0xff, 1, 2);
      await session.setRawSessionState(bytes);
      await assert.rejects(session.getSessionState(), { code: "deserialization-failed", entityPath: queue });
      assert.deepEqual(await session.getRawSessionState(), bytes);
    }),
  ];
}

/** JSON backwards, which nobody could know without its label; it tells the type that it was given. */
const reversed: Serializer = {
  name: "reversed",
  mediaTypes: ["application/x-reversed"],
  detection: "label",
  conforming: true,
  serialize: (value) => ({ bytes: new TextEncoder().encode(JSON.stringify(value)).reverse() }),
  deserialize(bytes, { messageType }) {
    try {
      const value = JSON.parse(new TextDecoder().decode(bytes.slice().reverse())) as object;
      return { ...value, type: messageType };
    } catch {
      throw decodeFailure("malformed", "This is not reversed JSON.");
    }
  },
};
