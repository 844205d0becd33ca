import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/slow-first.js";

/** Change or count what others in their process see as well: the file system, the tracer of the official SDK, warnings that come once, the memory of all brokers. */
export const changesItsProcess = [
  "examples/plain-service/src/service.test.ts",
  "packages/broker/src/memory/memory-mark.test.ts",
  "packages/broker-storage-lmdb/src/directory/store-directory.test.ts",
  "packages/broker-storage-lmdb/src/log/log-file.test.ts",
  "packages/broker-storage-lmdb/src/log/power-cut.test.ts",
  "packages/opentelemetry/src/spans.test.ts",
  "packages/transport-azure/src/official-tracing.test.ts",
  "packages/transport-azure/src/sdk-patches/apply-sdk-patches.test.ts",
];

const root = fileURLToPath(new URL("./", import.meta.url));
const packages = `${root}packages/`;

export default defineConfig({
  resolve: {
    // Tests run the sources, so a failing line is the line you wrote.
    alias: [
      { find: /^@waybill\/([a-z-]+)$/, replacement: `${packages}$1/src/index.ts` },
      { find: /^@waybill\/([a-z-]+)\/([a-z-]+)$/, replacement: `${packages}$1/src/$2.ts` },
      { find: /^#required-draft$/, replacement: `${packages}serializer-json/src/required-draft.ts` },
      { find: /^waybill-([a-z]+)\/(.+)\.js$/, replacement: `${root}$1/src/$2.ts` },
    ],
  },
  test: {
    // Far beyond what any test takes: a busy machine must not fail one.
    testTimeout: 120_000,
    // Shorter than that, so that a poll can say what it saw last.
    expect: { poll: { interval: 20, timeout: 110_000 } },
    // One more than the smallest machine it is run on has cores: some files mostly wait, for locks to run out or for processes.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // Sources that have not changed since the last run are not transformed again.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: [
            "packages/*/src/**/*.test.ts",
            "examples/*/src/**/*.test.ts",
            "{bench,harness,interop,release,reliability,website}/src/**/*.test.ts",
            "test/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...changesItsProcess],
          // Files that share a process share what they import, and the code compiled of it: that halves the time of them all.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "in a process of their own", include: changesItsProcess },
      },
      {
        extends: true,
        // The decoder has another way of reading strings where its add-on for this platform is not installed.
        test: {
          name: "msgpack without add-on",
          include: ["packages/serializer-msgpack/src/**/*.test.ts"],
          env: { MSGPACKR_NATIVE_ACCELERATION_DISABLED: "true" },
        },
      },
    ],
  },
});
