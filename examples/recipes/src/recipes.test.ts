import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);

/** The recipes that run in one process, in this order. */
const inOneProcess = [
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
];

let output: Readonly<Record<string, string>>;
beforeAll(async () => {
  const host = fileURLToPath(new URL("../test/run-recipes.mjs", import.meta.url));
  output = JSON.parse((await run(process.execPath, [host, ...inOneProcess])).stdout);
}, 120_000);

describe("recipes", () => {
  it.each(inOneProcess)("%s prints the comment at its end", (name) => {
    expect(output[name]?.split("\n")).toEqual(lastLines(name));
  });

  // A signal ends this program, so it runs in its own process.
  it("graceful-stop prints the comment at its end", { timeout: 60_000 }, async () => {
    const program = fileURLToPath(new URL("../dist/graceful-stop.js", import.meta.url));
    const { stdout } = await run(process.execPath, [program]);
    expect(stdout.trimEnd().split("\n")).toEqual(lastLines("graceful-stop"));
  });
});

/** The comment at the end of a recipe. */
function lastLines(name: string): string[] {
  const source = readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8");
  const lines = source.trimEnd().split("\n");
  const firstOfComment =
    lines.findLastIndex((line) => !line.startsWith("// ") || line === "// #endregion") + 1;
  return lines.slice(firstOfComment).map((line) => line.slice(3));
}
