import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "waybill-migration-test-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("the migration", () => {
  it("ends with the verdict yes and without a lost message, and its audit detects a loss", {
    timeout: 240_000,
  }, async () => {
    const kept = join(directory, "kept");
    const { code, stdout, stderr } = await run("main", "--directory", kept);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
    expectInOrder(stdout, [
      "Day 1: JSON version 1",
      "deferred",
      "scheduled",
      "ValidationFailed",
      'Refused: [operation-invalid] "order-placed" is not written as avro version 2 at 25 %',
      "readers would see 100 of 100 orders in Avro as they are",
      "25 % of the orders are written as Avro",
      'Objection: "warehouse" (host-2) does not read application/avro.',
      "The plan is stopped: 0 %",
      "UnknownMessageVersion",
      "Repair: 10 sent again, skipped {}",
      "Retire json: no, because",
      "100 % of the orders are written as Avro",
      "Retire json: no, because",
      "need it",
      "Retire json: no, because",
      "after its writers were said to have stopped",
      "Retire json: yes, safe to retire.",
      "Retire order-placed version 1: yes, safe to retire.",
      "136 orders sent: 0 lost, 0 handled twice, 0 altered, 0 invented, 0 left in the queue.",
    ]);

    appendFileSync(join(kept, "sent.ndjson"), '{"id":"o-999","cents":1}\n');
    const again = await run("phase", "audit", kept);
    expect(again.code).toBe(1);
    expect(again.stdout).toContain("137 orders sent: 1 lost");
    expect(again.stdout).toContain("See o-999.");
  });

  it("refuses a directory that is not empty", { timeout: 60_000 }, async () => {
    appendFileSync(join(directory, "something"), "");
    const { code, stderr } = await run("main", "--directory", directory);
    expect(code).toBe(2);
    expect(stderr).toContain("is not empty");
  });

  it("prints its help", { timeout: 60_000 }, async () => {
    const { code, stdout } = await run("main", "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("--directory PATH");
  });
});

function expectInOrder(text: string, parts: readonly string[]): void {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    expect(at, part).toBeGreaterThanOrEqual(0);
    from = at + part.length;
  }
}

function run(program: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const path = fileURLToPath(new URL(`../dist/${program}.js`, import.meta.url));
  const { FORCE_COLOR: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
