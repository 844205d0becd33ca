import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "./workspace-packages.js";

/**
 * Where tests and what supports them use a timer of the real clock, how often, and why nothing else will do. Tests wait for events: a promise
 * that a handler resolves, a later message in the same queue, a manual clock, fake timers. `expect.poll` and `until` look again until
 * something holds; a pause only hopes that it does by then, and a busy machine disappoints it.
 */
const timers: Readonly<Record<string, readonly [count: number, why: string]>> = {
  "packages/broker-server/src/limits.test.ts": [1, "a client that never stops talking, not a wait"],
  "packages/broker-storage-lmdb/src/durable-storage.test.ts": [1, "keeps a program alive until it is killed"],
  "packages/cli/src/environments.test-support.ts": [1, "between looks whether a started command is ready"],
  "packages/transport-azure/src/environments.test-support.ts": [
    1,
    "time passes for a broker of Azure; after a step of the local broker's clock, frames travel",
  ],
  "packages/transport-azure/src/lossy-fixture.test-support.ts": [2, "a slow network is what is tested"],
  "packages/transport-azure/src/recovery.test.ts": [2, "reads how long the SDK's timers last, starts none"],
  "packages/transport-azure/src/sdk-patches/closed-connections.test.ts": [
    2,
    "errors of the SDK's own timers, which reach nobody, must be over before the next test",
  ],
  "packages/transport-azure/src/until.test-support.ts": [1, "between looks whether something holds"],
  "reliability/src/supervisor/supervised-process.test.ts": [1, "keeps a program alive until it is killed"],
};

it("tests wait for events, not for time", () => {
  const found = ["packages", "examples", "harness", "interop", "release", "reliability", "test", "website"]
    .flatMap(testFiles)
    .map((path) => [path, timersIn(path)] as const)
    .filter(([path, count]) => count > 0 && path !== "test/real-time.test.ts");
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(timers).map(([path, [count]]) => [path, count])),
  );
});

/** Below a folder of the workspace, by their paths from its root. */
function testFiles(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : testFiles(path);
    return /\.test(?:-support)?\.ts$|\/test\/.*\.m?ts$/.test(path) ? [path] : [];
  });
}

/** Names of fake timers stand in quotes. */
function timersIn(path: string): number {
  const text = readFileSync(`${root}${path}`, "utf8");
  return text.match(/\bset(?:Timeout|Interval)\b(?!")|\bpause\b.*waybill-harness/g)?.length ?? 0;
}
