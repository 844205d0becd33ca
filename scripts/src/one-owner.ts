import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Opens one store from two process namespaces, as two containers with one volume do: the second must be refused, the refusal names
// the first, and after the first was killed all that it acknowledged is there. Then starts on a full disk and on a read-only one.
// Needs Linux and the right to make namespaces; without them it says so and checks nothing.

/** A process namespace of its own, and a mount namespace. What runs in it ends with `unshare`. */
const namespaces = ["-pfm", "--mount-proc", "--kill-child"];
const program = fileURLToPath(new URL("./one-owner/owner.js", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "waybill-one-owner-"));
const violations: string[] = [];

if (spawnSync("unshare", [...namespaces, "true"]).status === 0) {
  try {
    await contend();
    full();
    readOnly();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  for (const violation of violations) console.error(violation);
  console.log(violations.length === 0 ? "One owner" : `${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} else console.log("Not checked: this computer does not let `unshare` make namespaces");

/** The first owner sends all the while; the others come from namespaces of their own, where it is not to be seen. */
async function contend(): Promise<void> {
  const store = join(root, "shared");
  const owner = spawn("unshare", [...namespaces, process.execPath, program, store, "send"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const sent = await follow(owner);
  for (let round = 0; round < 3; round++) {
    const { status, line } = run(namespaces, store, "count");
    expect(status === 3 && line.refused === "storage-in-use", `the second owner was let in: ${line.raw}`);
    expect(/in use by process \d+ on host '.+' since 20/.test(line.raw), `it does not say who: ${line.raw}`);
    if (round === 0) console.log(line.text);
  }
  owner.kill("SIGKILL");
  await sent.end;
  const { line } = run(namespaces, store, "count");
  expect(Number(line.found) >= sent.acknowledged, `${sent.acknowledged} acknowledged, ${line.found} found`);
  console.log(`${sent.acknowledged} acknowledged by an owner that was killed, ${line.found} found`);
}

function full(): void {
  for (const kept of ["0", "20k"]) {
    const disk = mount(`full-${kept}`);
    const fill = `dd if=/dev/zero of=${disk}/ballast bs=1k 2>/dev/null; truncate -s -${kept} ${disk}/ballast; mkdir ${disk}/store`;
    startOn(disk, `${fill}; ls ${disk}`, /the disk is full\. Make room/);
  }
}

function readOnly(): void {
  const disk = mount("read-only");
  startOn(disk, `mkdir ${disk}/store; mount -o remount,ro ${disk}`, /the disk is read-only/);
}

/** A start in a namespace that has a small disk of its own. The mount ends with the namespace. */
function startOn(disk: string, prepare: string, expected: RegExp): void {
  const script = `mount -t tmpfs -o size=1m tmpfs ${disk} && { ${prepare}; } >/dev/null
    "$0" "$@"; status=$?; ls -A ${disk}/store >&2; exit $status`;
  const { status, line, stderr } = run([...namespaces, "sh", "-c", script], join(disk, "store"), "count");
  expect(status === 3 && line.refused === "storage-failed", `not refused: ${status} ${line.raw} ${stderr}`);
  expect(expected.test(line.raw), `no sentence that says what to do: ${line.raw}`);
  expect(stderr.trim() === "", `it left ${stderr.trim()}`);
  console.log(line.text);
}

function mount(name: string): string {
  const disk = join(root, name);
  mkdirSync(disk);
  return disk;
}

function run(prefix: readonly string[], store: string, work: string) {
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    [...prefix, process.execPath, program, store, work],
    {
      encoding: "utf8",
    },
  );
  const raw = stdout.trim().split("\n").at(-1) ?? "";
  return {
    status,
    stderr,
    line: { ...(raw === "" ? {} : JSON.parse(raw)), raw } as Record<string, string> & { raw: string },
  };
}

/** What an owner prints, once it has the store. */
async function follow(owner: ChildProcess) {
  const sent = { acknowledged: 0, end: new Promise<void>((resolve) => owner.once("close", () => resolve())) };
  let rest = "";
  const opened = new Promise<void>((resolve) => {
    owner.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) sent.acknowledged = Number(JSON.parse(line).acknowledged ?? 0);
      resolve();
    });
  });
  await Promise.race([opened, sent.end]);
  return sent;
}

function expect(isSo: boolean, violation: string): void {
  if (!isSo) violations.push(violation);
}
