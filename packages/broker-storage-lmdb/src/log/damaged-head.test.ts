import { BrokerError } from "@waybill/broker";
import { expect, it } from "vitest";
import { contentOf, killAfter, openAndLoad, send, temporaryPlace } from "./log.test-support.js";

const store = "store.mdb";
/** The two pages at the start of the file that name its trees, and how much of each is used. */
const pageBytes = 4096;
const usedBytes = 160;
/** Of each byte. With them are a root that only differs from "none" in its last digits, and a flag with which LMDB ends the process. */
const bits = [1, 5];

it("a store of a killed process is refused if its head is damaged, or has all messages and takes more", async () => {
  using live = temporaryPlace();
  using killed = temporaryPlace();
  using copy = temporaryPlace();
  await killAfter([100, 1000], live, killed);
  killed.copyTo(copy);
  const expected = await contentOf(copy.path);
  const outcomes = { refused: 0, read: 0 };
  for (const page of [0, pageBytes])
    for (let at = page; at < page + usedBytes; at++)
      for (const bit of bits) {
        killed.copyTo(copy);
        const damaged = copy.read(store);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        copy.write(store, damaged);
        try {
          const { storage } = await openAndLoad(copy.path);
          await send(storage, 99, 10);
          // Brings the file up to date.
          await storage.close();
          expect(await contentOf(copy.path), `bit ${bit} of byte ${at}`).toEqual([...expected, [99, 10, 99]]);
          outcomes.read++;
        } catch (error) {
          if (!(error instanceof BrokerError)) throw error;
          expect(error.code, `bit ${bit} of byte ${at}`).toBe("storage-unreadable");
          outcomes.refused++;
        }
      }
  expect(outcomes.refused).toBeGreaterThan(100);
  expect(outcomes.read).toBeGreaterThan(100);
}, 60_000);
