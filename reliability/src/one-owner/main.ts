import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { openScratch } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";

// Opens one store from two process namespaces, as two containers with one volume do: the second must be refused, the refusal names
// the first, and after the first was killed all that it acknowledged is there. Then starts on a full disk and on a read-only one.
// Needs Linux and the right to make namespaces; without them it says so and checks nothing.

/** A process namespace of its own, and a mount namespace. What runs in it ends with `unshare`. */
const namespaces = ["-pfm", "--mount-proc", "--kill-child"];
const program = new URL("./owner.js", import.meta.url);
const violations: string[] = [];

if (spawnSync("unshare", [...namespaces, "true"]).status === 0) {
  using root = openScratch("one-owner");
  await contend(join(root.path, "shared"));
  for (const kept of ["0", "20k"]) await startOnFull(join(root.path, `full-${kept}`), kept);
  await startOnReadOnly(join(root.path, "read-only"));
  conclude(violations, "The store has one owner");
} else console.log("Not checked: `unshare` cannot create namespaces on this computer");

/** The first owner sends all the while; the others come from namespaces of their own, where it is not to be seen. */
async function contend(store: string): Promise<void> {
  const owner = start(store, "send");
  await owner.ready;
  for (let round = 0; round < 3; round++) {
    const { code, line } = await run(store, "count");
    expect(code === 3 && line.refused === "storage-in-use", `the second owner was let in: ${line.raw}`);
    expect(/in use by process \d+ on host '.+' since 20/.test(line.raw), `it does not say who: ${line.raw}`);
    if (round === 0) console.log(line.text);
  }
  await owner.kill();
  const { acknowledged = 0 } = JSON.parse(owner.stdout.at(-1) ?? "{}");
  const { line } = await run(store, "count");
  expect(
    acknowledged > 0 && Number(line.found) >= acknowledged,
    `${acknowledged} acknowledged, ${line.found} found`,
  );
  console.log(
    `${acknowledged} messages acknowledged by a killed owner, ${line.found} found after its restart`,
  );
}

async function startOnFull(disk: string, kept: string): Promise<void> {
  const fill = `dd if=/dev/zero of=${disk}/ballast bs=1k 2>/dev/null; truncate -s -${kept} ${disk}/ballast; mkdir ${disk}/store`;
  await startOn(disk, `${fill}; ls ${disk}`, /the disk is full\. Make room/);
}

async function startOnReadOnly(disk: string): Promise<void> {
  await startOn(disk, `mkdir ${disk}/store; mount -o remount,ro ${disk}`, /the disk is read-only/);
}

/** A start in a namespace that has a small disk of its own. The mount ends with the namespace. */
async function startOn(disk: string, prepare: string, expected: RegExp): Promise<void> {
  mkdirSync(disk);
  const script = `mount -t tmpfs -o size=1m tmpfs ${disk} && { ${prepare}; } >/dev/null
    "$0" "$@"; status=$?; ls -A ${disk}/store >&2; exit $status`;
  const { code, line, findings } = await run(join(disk, "store"), "count", ["sh", "-c", script]);
  expect(code === 3 && line.refused === "storage-failed", `not refused: ${code} ${line.raw} ${findings}`);
  expect(expected.test(line.raw), `no sentence that says what to do: ${line.raw}`);
  expect(findings.length === 0, `it left ${findings}`);
  console.log(line.text);
}

/** Runs an owner to its end: its exit code, the last line that it printed, and what it wrote to stderr. */
async function run(store: string, work: "count", shell: readonly string[] = []) {
  const child = start(store, work, shell);
  const code = await child.exit;
  const raw = child.stdout.at(-1) ?? "{}";
  const line = { ...JSON.parse(raw), raw } as Record<string, string> & { raw: string };
  return { code, line, findings: child.stderr };
}

function start(store: string, work: "send" | "count", shell: readonly string[] = []): SupervisedProcess {
  const command = [...namespaces, ...shell, ...nodeCommand(program, [store, work])];
  return new SupervisedProcess({
    command: ["unshare", ...command],
    isReadyLine: () => true,
    isStderrFinding: true,
  });
}

function expect(isSo: boolean, violation: string): void {
  if (!isSo) violations.push(violation);
}
