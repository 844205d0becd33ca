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
  "packages/conformance/src/client/processing-harness.ts": [1, "between looks whether something holds"],
  "packages/conformance/src/client/redelivery-cases.ts": [1, "readings that overlap are what is counted"],
  "packages/conformance/src/client/session-processor-cases.ts": [
    1,
    "handlers that overlap are what is counted",
  ],
  "packages/conformance/src/transport/harness/transport-harness.ts": [
    3,
    "between looks whether something holds; says which call did not end",
  ],
  "packages/transport-azure/src/environments.test-support.ts": [1, "time passes for a broker of Azure"],
  "packages/transport-azure/src/lossy-fixture.test-support.ts": [2, "a slow network is what is tested"],
  "packages/transport-azure/src/recovery.test.ts": [2, "reads how long the SDK's timers last, starts none"],
  "packages/transport-azure/src/until.test-support.ts": [1, "between looks whether something holds"],
  "reliability/src/supervisor/supervised-process.test.ts": [1, "keeps a program alive until it is killed"],
};

/** Where they look how long something takes: what a busy machine makes longer must fail no test. */
const stopwatches: typeof timers = {
  "packages/broker-server/src/limits/turns.test.ts": [1, "a time to count from"],
  "packages/broker-server/src/raw-client.test-support.ts": [1, "the time that a connection is told"],
  "packages/broker/src/model.test.ts": [2, "a counterexample that is found is shrunk for a limited time"],
  "packages/broker/src/timing/timers.test.ts": [2, "uses up time"],
  "packages/conformance/src/client/processing-harness.ts": [
    4,
    "says what was waited for; looks for longer that nothing happens",
  ],
  "packages/conformance/src/serializer/harness.ts": [
    4,
    "what took little time took little processor time, which is limited",
  ],
  "packages/conformance/src/serializer/serializer-cases.test.ts": [2, "uses up processor time"],
  "packages/conformance/src/transport/harness/transport-harness.ts": [2, "says what was waited for"],
  "packages/core/src/body-transforms/encryption.test.ts": [1, "a time to count from"],
  "packages/transport-azure/src/watchdog/link-watchdog.test.ts": [1, "intervals that are at least so long"],
};

// Names of fake timers stand in quotes.
it.each([
  ["wait for events, not for time", /\bset(?:Timeout|Interval)\b(?!")|\bpause\b.*waybill-harness/g, timers],
  ["do not measure how long something takes", /\bperformance\.now\b|\bhrtime\b/g, stopwatches],
])("tests %s", (_, pattern, listed) => {
  const found = ["packages", "examples", "harness", "interop", "release", "reliability", "test", "website"]
    .flatMap(testFiles)
    .map((path) => [path, readFileSync(`${root}${path}`, "utf8").match(pattern)?.length ?? 0] as const)
    .filter(([path, count]) => count > 0 && path !== "test/real-time.test.ts");
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(listed).map(([path, [count]]) => [path, count])),
  );
});

/** Tests, what supports them, and the cases that others run, below a folder of the workspace, by their paths from its root. */
function testFiles(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : testFiles(path);
    return /\.test(?:-support)?\.ts$|\/test\/.*\.m?ts$|^packages\/conformance\/.*\.ts$/.test(path)
      ? [path]
      : [];
  });
}
