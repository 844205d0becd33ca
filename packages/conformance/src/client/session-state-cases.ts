import assert from "node:assert/strict";
import type { Serializer, WaybillClientOptions } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { type ProcessingHarness, processingCase } from "./processing-harness.js";

/** A session's state is a value, written and read by serializers like bodies. */
export function sessionStateCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "session state", "sessions");
  return [
    testCase("a value is returned until it is cleared", async (harness) => {
      const { queue, session } = await openSession(harness);
      assert.equal(await session.getSessionState(), undefined);
      await session.setSessionState({ total: 3, items: ["lamp"] });
      await session.close();
      const again = await harness.client().acceptSession(queue, "ada");
      assert.deepEqual(await again.getSessionState(), { total: 3, items: ["lamp"] });
      await again.setSessionState(undefined);
      assert.equal(await again.getSessionState(), undefined);
      assert.equal((await again.getRawSessionState())?.length ?? 0, 0);
    }),
    testCase("null and undefined clear the state", async (harness) => {
      const { session } = await openSession(harness);
      await session.setSessionState({ total: 3 });
      await session.setSessionState(null);
      assert.equal(await session.getSessionState(), undefined);
      assert.equal((await session.getRawSessionState())?.length ?? 0, 0);
      await session.setRawSessionState(Uint8Array.of(1));
      await session.setRawSessionState(null);
      assert.equal((await session.getRawSessionState())?.length ?? 0, 0);
    }),
    testCase("a newer client reads a state that an older one wrote in another format", async (harness) => {
      const { queue, session: older } = await openSession(harness, { serializer: reversed });
      await older.setSessionState({ total: 3 }, { stateType: "Cart" });
      await older.close();
      const newer = harness.client({ serializer: plainJson, additionalDeserializers: [reversed] });
      const session = await newer.acceptSession(queue, "ada");
      assert.deepEqual(await session.getSessionState(), { total: 3, type: "Cart" });
    }),
    testCase("a state without an envelope is recognised by its bytes", async (harness) => {
      const { session } = await openSession(harness);
      await session.setRawSessionState(new TextEncoder().encode('{"total":3}'));
      assert.deepEqual(await session.getSessionState(), { total: 3 });
      await session.setRawSessionState(new TextEncoder().encode("null"));
      assert.equal(await session.getSessionState(), undefined);
    }),
    testCase("a string, number or boolean that the official SDK wrote is read", async (harness) => {
      const { session } = await openSession(harness);
      for (const value of ["half way", "", 42, -1.5, 0, true, false]) {
        await session.setRawSessionState(new TextEncoder().encode(JSON.stringify(value)));
        assert.equal(await session.getSessionState(), value);
      }
    }),
    testCase(
      "without an envelope, a state is only the bytes of its value, and can be read again",
      async (harness) => {
        const { queue, session } = await openSession(harness, { sessionStateEnvelope: false });
        for (const value of [{ total: 3 }, [1, "a"], "half way", 42, true]) {
          await session.setSessionState(value, { stateType: "Cart" });
          assert.deepEqual(JSON.parse(new TextDecoder().decode(await session.getRawSessionState())), value);
          assert.deepEqual(await session.getSessionState(), value);
        }
        await session.close();
        const other = await harness.client().acceptSession(queue, "ada");
        assert.equal(await other.getSessionState(), true);
        await other.setSessionState({ total: 4 });
        await other.close();
        const again = await harness.client({ sessionStateEnvelope: false }).acceptSession(queue, "ada");
        assert.deepEqual(await again.getSessionState(), { total: 4 });
      },
    ),
    testCase("without an envelope, a state that needs a content type is refused", async (harness) => {
      const { session } = await openSession(harness, { sessionStateEnvelope: false });
      const withProperties = { applicationProperties: { part: 1 } };
      await assert.rejects(session.setSessionState({ total: 3 }, withProperties), {
        code: "serialization-failed",
      });
      assert.equal(await session.getSessionState(), undefined);
    }),
    testCase("an undeserializable state is not changed", async (harness) => {
      const { queue, session } = await openSession(harness);
      const bytes = Uint8Array.of(0xff, 1, 2);
      await session.setRawSessionState(bytes);
      await assert.rejects(session.getSessionState(), { code: "deserialization-failed", entityPath: queue });
      assert.deepEqual(await session.getRawSessionState(), bytes);
    }),
  ];
}

/** A session of a new queue. */
async function openSession(harness: ProcessingHarness, options: Partial<WaybillClientOptions> = {}) {
  const queue = await harness.queue([], { requiresSession: true });
  return { queue, session: await harness.client(options).acceptSession(queue, "ada") };
}

/** Reversed JSON, which cannot be recognised without a content type; it records the message type of the call. */
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
