import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Census } from "@waybill/migration/census";
import { expect, it } from "vitest";
import { CensusHistory } from "./census-history.js";

function takenAt(second: number): Census {
  const at = new Date(second * 1_000);
  const nothing = { places: [], groups: [], hidden: [] };
  return {
    startedAt: at,
    finishedAt: at,
    serializers: ["json"],
    messageTypes: [],
    sampleRate: 1,
    ...nothing,
  };
}

it("has at most 200 censuses; of more, every second one of the older half is deleted", async () => {
  const directory = await mkdtemp(join(tmpdir(), "waybill-history-"));
  const history = new CensusHistory(directory, "shop");
  for (let second = 0; second < 200; second++) await history.add(takenAt(second));
  expect(await history.read()).toHaveLength(200);
  await history.add(takenAt(200));
  const seconds = (await history.read()).map(({ startedAt }) => startedAt.getTime() / 1_000);
  const older = Array.from({ length: 50 }, (_, index) => 2 * index);
  const newer = Array.from({ length: 101 }, (_, index) => 100 + index);
  expect(seconds).toEqual([...older, ...newer]);
  await rm(directory, { recursive: true });
});
