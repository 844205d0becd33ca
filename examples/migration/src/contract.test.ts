import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const example = fileURLToPath(new URL("..", import.meta.url));
const command = fileURLToPath(new URL("../../../packages/cli/dist/bin.js", import.meta.url));

function waybill(cwd: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    encoding: "utf8",
  });
  return { exitCode: status, stdout, stderr };
}

describe("the contract of the shop", () => {
  it("is what its code writes and reads", () => {
    expect(waybill(example, "contract", "write", "--check", "--no-json")).toEqual({
      exitCode: 0,
      stdout: "waybill.contract.json is up to date\n",
      stderr: "",
    });
  });

  it("is kept by its chain: every version is read in every format", () => {
    const { exitCode, stdout } = waybill(example, "contract", "check", "--no-json");
    expect(stdout).toMatch(/^compatible: \d+ pairs of version and format, \d+ values written and read\n$/);
    expect(exitCode).toBe(0);
  });
});

describe("a pull request", () => {
  let repository: string;
  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), "waybill-pull-request-"));
    for (const part of [
      "waybill.config.ts",
      "waybill.contract.json",
      "src/order-placed.ts",
      "src/pipelines.ts",
    ])
      cpSync(join(example, part), join(repository, part));
    symlinkSync(join(example, "node_modules"), join(repository, "node_modules"), "junction");
    writeFileSync(join(repository, ".gitignore"), "node_modules\n");
    git("init", "--quiet", "--initial-branch", "main");
    commit("The shop as it runs");
    git("switch", "--quiet", "--create", "pull-request");
  });
  afterEach(() => rmSync(repository, { recursive: true, force: true }));

  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=shop", "-c", "user.email=shop@example.org", ...args], {
      cwd: repository,
    });
  const commit = (subject: string) => {
    git("add", ".");
    git("commit", "--quiet", "--message", subject);
  };

  /** Changes the message type, and commits that. */
  function change(subject: string, from: string, to: string): void {
    const path = join(repository, "src/order-placed.ts");
    const code = readFileSync(path, "utf8");
    expect(code).toContain(from);
    writeFileSync(path, code.replace(from, to));
    commit(subject);
  }

  /** Runs the check as a workflow does; the annotations are as GitHub shows them. */
  function check() {
    const args = ["contract", "check", "--against", "main", "--format", "github"];
    const { exitCode, stdout, stderr } = waybill(repository, ...args);
    const annotations = [...stdout.matchAll(/^::(\w+) file=(.+?),title=(.+?)::(.+)\n/gm)].map(
      ([, level, file, title, text]) =>
        `${level} ${file}: ${decodeURIComponent(title!)}\n${decodeURIComponent(text!)}`,
    );
    return { exitCode, annotations, stderr };
  }

  it("that changes only code passes", () => {
    change("Round down", "Math.round(Number(total) * 100)", "Math.floor(Number(total) * 100)");
    expect(check()).toEqual({ exitCode: 0, annotations: [], stderr: "" });
  });

  it("that breaks the reader of waiting messages fails, and says which messages, why, and what to do", () => {
    change(
      "Totals are texts",
      "total: z.union([totalText, z.number().min(0).max(999_999_999)])",
      "total: totalText",
    );
    expect(check()).toEqual({
      exitCode: 1,
      annotations: [
        `error waybill.contract.json: shop, as it is now, does not read "order-placed" version 1 in json as shop (main) wrote it
by the schemas: total: number is not read as string
by values: {"id":"","total":0} is written, and fails at the stage validate (schema-violation)
The body breaks its schema at "/total".
Messages of the baseline may wait in queues, scheduled or deferred. Give the change a new version with an upcaster, or make it one that old messages fit: a default, an optional property.`,
      ],
      stderr: "",
    });
  });

  it("that breaks the readers that run fails, and says that they come first", () => {
    change(
      "Orders have a currency",
      '{ name: "cents", type: "long" },',
      '{ name: "cents", type: "long" },\n    { name: "currency", type: "string" },',
    );
    const { exitCode, annotations } = check();
    expect(exitCode).toBe(1);
    expect(annotations).toHaveLength(2);
    expect(annotations[1]).toBe(
      `error waybill.contract.json: shop (main) does not read "order-placed" version 2 in avro as shop writes it now
by the schemas: the reader does not know the writer's Avro schema, whose fingerprint stands in the body: list it in the reader's writerSchemas first, or give the change a version of its own
by values: {"orderId":"","cents":0,"currency":""} is written, and fails at the stage decode (schema-unknown)
The Avro body was written under the schema fingerprint 0x1ccfe6ec93e964fd, which is not among the known schemas.
Running readers would dead-letter these messages. Give the change a new version, deploy it to the readers first, and keep writing the old version with a write plan until they all have it.`,
    );
  });
});
