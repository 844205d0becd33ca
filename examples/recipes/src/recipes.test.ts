import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);

describe("recipes", () => {
  it.each([
    "core",
    "tutorial",
    "assumed-format",
    "every-format",
    "avro",
    "broker",
    "transport-local",
    "receiving",
    "quarantine",
    "sessions",
    "processing",
    "graceful-stop",
    "circuit-breaker",
    "rehearse",
    "request-reply",
    "many-replies",
    "multicast-request-reply",
    "multiplexing",
    "multiplexed-request-reply",
    "message-types",
    "envelope",
    "write-plan",
    "content-type-plan",
    "shadow-check",
    "verification",
    "golden-messages",
    "batches",
    "claim-check",
    "encryption",
    "diagnostics",
    "opentelemetry",
    "health",
  ])("%s prints what its last lines say", { timeout: 60_000 }, async (name) => {
    const source = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8");
    const lines = source.trimEnd().split("\n");
    const firstSaid = lines.findLastIndex((line) => !line.startsWith("// ") || line === "// #endregion") + 1;
    const said = lines.slice(firstSaid).map((line) => line.slice(3));
    const program = fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
    const { stdout } = await run(process.execPath, [program]);
    expect(stdout.trimEnd().split("\n")).toEqual(said);
  });
});
