import { defineConfig } from "vitest/config";
import full, { changesItsProcess } from "./vitest.config.js";

/** Those whose tests need neither the SDK nor the command. */
const packages = [
  "amqp",
  "broker",
  "claim-check",
  "core",
  "migration",
  "opentelemetry",
  "serializer-*",
  "transport-local",
];

/** Take seconds each, or start processes: they are for `pnpm test`, and for who changes what they are about. */
const slow = [
  "packages/*/src/conformance.test.ts",
  "packages/broker/src/model.test.ts",
  "packages/claim-check/src/file-claim-check-store.test.ts",
  "packages/core/src/contracts/loading-in-a-process.test.ts",
  "packages/core/src/receive/circuit-breaker/faulty-producer.test.ts",
  "packages/core/src/receive/delivery/lock-renewal.test.ts",
  "packages/migration/src/retirement/retirement-verdict.test.ts",
  "packages/serializer-avro/src/hostile-bytes.test.ts",
  "packages/serializer-json/src/exact-integers.test.ts",
  "packages/serializer-msgpack/src/msgpack-serializer.test.ts",
];

const { projects: _, ...shared } = full.test ?? {};

/** `pnpm test:fast`: what is worth running after each change. */
export default defineConfig({
  ...full,
  test: {
    ...shared,
    include: packages.map((name) => `packages/${name}/src/**/*.test.ts`),
    exclude: ["**/node_modules/**", ...changesItsProcess, ...slow],
    isolate: false,
  },
});
