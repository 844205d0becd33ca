import assert from "node:assert/strict";
import type { ClaimCheckStore } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";

/** A claim-check store under test. */
export interface ClaimCheckStoreSubject {
  /** Opens an empty store that no other case uses; disposing it removes remaining bodies. */
  create(): Promise<{ readonly store: ClaimCheckStore } & AsyncDisposable>;
}

const key = "2026-11-05/8f14e45f-ceea-467f-a0e6-8b0e1f6f3c11";

/** The conformance suite for claim-check stores: stored bodies are complete, missing ones are undefined, and reading is bounded. */
export function claimCheckStoreCases(subject: ClaimCheckStoreSubject): Case[] {
  const testCase = (name: string, run: (store: ClaimCheckStore) => Promise<void>): Case => ({
    name,
    async run() {
      await using fixture = await subject.create();
      await run(fixture.store);
    },
  });
  return [
    ...[0, 1, 255, 256, 65_536, 5_000_001].map((length) =>
      testCase(`a stored body of ${length} bytes is returned unchanged`, async (store) => {
        const body = bytes(length);
        await store.put(key, body, {});
        assertSameValue(await read(store, key, length), body, "the body");
      }),
    ),
    testCase("keys of every allowed form are distinct", async (store) => {
      const keys = [
        "a",
        "A1",
        "a.b",
        "a-b_c",
        "b/c",
        "b/d",
        "2026-11-05/a",
        "2026-11-05/b",
        `c/${"d".repeat(150)}`,
      ];
      for (const [index, one] of keys.entries()) await store.put(one, Uint8Array.of(index), {});
      for (const [index, one] of keys.entries()) {
        assertSameValue(await read(store, one, 1), Uint8Array.of(index), one);
      }
    }),
    testCase("a key that was not stored returns undefined", async (store) => {
      await store.put(key, bytes(10), {});
      for (const other of [
        "2026-11-05",
        "2026-11-05/other",
        "2026-11-06/other",
        `${key}/deeper`,
        "x".repeat(200),
      ]) {
        assert.equal(await store.get(other, { maxBytes: 10 }), undefined, other);
      }
    }),
    testCase("reading stops one byte after maxBytes", async (store) => {
      await store.put(key, bytes(1_000), {});
      const piece = await store.get(key, { maxBytes: 99 });
      assert.ok(piece !== undefined && piece.length > 99, "the caller can detect that the body is too large");
      assert.ok(piece.length <= 1_000, "not more than the stored body");
    }),
    testCase("a stored body does not change if the caller changes its bytes", async (store) => {
      const body = bytes(1_000);
      await store.put(key, body, {});
      body.fill(0xa5);
      assertSameValue(await read(store, key, 1_000), bytes(1_000), "the body");
    }),
    testCase("of a view of a larger buffer, only the view is stored", async (store) => {
      await store.put(key, bytes(1_000).subarray(100, 200), {});
      assertSameValue(await read(store, key, 100), bytes(1_000).slice(100, 200), "the body");
    }),
    testCase("deleting removes one body, and has no effect without one", async (store) => {
      await store.put(key, bytes(10), {});
      await store.put("2026-11-05/other", bytes(10), {});
      await store.delete(key);
      await store.delete(key);
      assert.equal(await store.get(key, { maxBytes: 10 }), undefined);
      assert.equal((await read(store, "2026-11-05/other", 10)).length, 10);
    }),
    testCase("many bodies can be stored and read concurrently", async (store) => {
      const keys = Array.from({ length: 40 }, (_, index) => `2026-11-05/${index}`);
      await Promise.all(keys.map((one, index) => store.put(one, bytes(1_000 + index), {})));
      const bodies = await Promise.all(keys.map((one, index) => read(store, one, 1_000 + index)));
      for (const [index, body] of bodies.entries())
        assertSameValue(body, bytes(1_000 + index), required(keys[index]));
    }),
    testCase("a call whose signal is already aborted rejects", async (store) => {
      const abortSignal = AbortSignal.abort();
      await assert.rejects(store.put(key, bytes(10), { abortSignal }));
      assert.equal(await store.get(key, { maxBytes: 10 }), undefined, "nothing was stored");
      await store.put(key, bytes(10), {});
      await assert.rejects(store.get(key, { maxBytes: 10, abortSignal }));
    }),
  ];
}

async function read(store: ClaimCheckStore, key: string, maxBytes: number): Promise<Uint8Array> {
  const body = await store.get(key, { maxBytes });
  assert.ok(body !== undefined, `there is a body under ${key}`);
  return body;
}

function bytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}
