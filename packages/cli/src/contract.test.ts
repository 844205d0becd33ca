import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fixture, moduleOf, openFolder, runCommand } from "./environments.test-support.js";

/** A configuration whose message type has these properties. */
const config = (properties: object) => `
import { defineMessage } from ${JSON.stringify(moduleOf("core"))};
import { json } from ${JSON.stringify(moduleOf("serializer-json"))};

const schema = {
  type: "object",
  properties: ${JSON.stringify(properties)},
  required: ${JSON.stringify(Object.keys(properties))},
  additionalProperties: false,
};

export default {
  serializer: json(),
  messageTypes: [defineMessage("order-placed", { version: 1, schemas: { 1: { json: schema } } })],
  contract: {
    service: "orders",
    sends: ["orders"],
    environments: { production: { contracts: "contracts/production" } },
  },
};
`;

/** A repository whose contract file says that an order has an id, and a chain with these properties. */
async function openRepository(properties: object) {
  const folder = await openFolder();
  const run = (...args: readonly string[]) =>
    runCommand([args[0]!, args[1]!, "--config", "now.mjs", ...args.slice(2)], { cwd: folder.path });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      cwd: folder.path,
    });
  await folder.write("before.mjs", config({ id: { type: "integer" } }));
  await folder.write("now.mjs", config(properties));
  const written = await runCommand(["contract", "write", "--no-json", "--config", "before.mjs"], {
    cwd: folder.path,
  });
  expect(written.stdout).toBe("waybill.contract.json written\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "begin");
  return { path: folder.path, run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const added = { id: { type: "integer" }, customer: { type: "string" } };

describe("waybill contract write", () => {
  it("writes a file that stays the same while the chain does", async () => {
    await using repository = await openRepository({ id: { type: "integer" } });
    expect(await repository.run("contract", "write", "--check", "--no-json")).toMatchObject({
      exitCode: 0,
      stdout: "waybill.contract.json is up to date\n",
    });
    const contract = JSON.parse(await readFile(join(repository.path, "waybill.contract.json"), "utf8"));
    expect(contract).toMatchObject({ service: "orders", entities: { sends: ["orders"], receives: [] } });
  });

  it("exits with 1 with --check if it is not up to date, and changes nothing", async () => {
    await using repository = await openRepository(added);
    expect(await repository.run("contract", "write", "--check")).toMatchObject({ exitCode: 1 });
    expect(await repository.run("contract", "write", "--check")).toMatchObject({ exitCode: 1 });
  });

  it("leaves a file that a formatter changed", async () => {
    await using repository = await openRepository({ id: { type: "integer" } });
    const path = join(repository.path, "waybill.contract.json");
    const formatted = JSON.stringify(JSON.parse(await readFile(path, "utf8")), undefined, "\t");
    await writeFile(path, formatted.replaceAll("\n", "\r\n"));
    expect(await repository.run("contract", "write", "--check")).toMatchObject({ exitCode: 0 });
    expect(await repository.run("contract", "write")).toMatchObject({ exitCode: 0 });
    expect(await readFile(path, "utf8")).toContain("\r\n");
  });

  it("reads the configuration of docs/contracts.md", async () => {
    await using folder = await openFolder();
    const ended = await runCommand(
      ["contract", "write", "orders.json", "--config", fixture("contract.config.ts")],
      {
        cwd: folder.path,
      },
    );
    expect(ended.json()).toEqual({ file: "orders.json", isCurrent: false });
  });

  it("says what the configuration lacks", async () => {
    await using folder = await openFolder();
    expect(await runCommand(["contract", "write"], { cwd: folder.path })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('add contract: { service: "orders"'),
    });
  });
});

describe("waybill contract check", () => {
  it("compares with the contract file, and says what breaks and what to do", async () => {
    await using repository = await openRepository(added);
    const ended = await repository.run("contract", "check", "--no-json");
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain(
      'incompatible: orders, as it is now, does not read "order-placed" version 1 in json as orders (the contract file) wrote it\n' +
        "  by the schemas: customer: the reader requires it, and the writer may leave it out\n" +
        '  by values: {"id":0} is written, and fails at the stage validate (schema-violation)\n',
    );
    expect(ended.stdout).toContain("→ Running readers would dead-letter these messages.");
  });

  it("compares with a revision of git, and with all of them", async () => {
    await using repository = await openRepository(added);
    for (const args of [["--against", "main"], ["--transitive"]])
      expect(await repository.run("contract", "check", ...args)).toMatchObject({ exitCode: 1 });
    expect(await repository.run("contract", "check", "--against", "nowhere")).toMatchObject({ exitCode: 2 });
  });

  it("compares with an AsyncAPI document", async () => {
    await using repository = await openRepository(added);
    expect(await repository.run("asyncapi", "now.json")).toMatchObject({ exitCode: 0 });
    await runCommand(["asyncapi", "before.json", "--config", "before.mjs"], { cwd: repository.path });
    expect(await repository.run("contract", "check", "--against", "now.json")).toMatchObject({ exitCode: 0 });
    expect(await repository.run("contract", "check", "--against", "before.json")).toMatchObject({
      exitCode: 1,
    });
  });

  it("says what a comparison with a registry needs", async () => {
    await using repository = await openRepository(added);
    expect(await repository.run("contract", "check", "--registry")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("contract: { registry: { source: confluentSchemaRegistry({ url }) } }"),
    });
  });

  it("prints JSON, annotations and SARIF", async () => {
    await using repository = await openRepository(added);
    const check = (format: string) => repository.run("contract", "check", "--format", format);
    expect((await check("json")).json()).toMatchObject({
      verdict: "incompatible",
      findings: [{ trial: { counterexample: { value: { id: 0 } } } }, {}, {}],
    });
    expect((await check("github")).stdout).toMatch(/^::error file=waybill\.contract\.json,title=/);
    expect((await check("sarif")).json()).toMatchObject({ version: "2.1.0", runs: [{ results: [{}, {}] }] });
  });

  it("keeps what fails as golden messages", async () => {
    await using repository = await openRepository(added);
    await repository.run("contract", "check", "--keep-golden", "golden");
    expect(
      await readFile(join(repository.path, "golden/order-placed.v1.json.backward.golden.json"), "utf8"),
    ).toContain('"utf8": "{\\"id\\":0}"');
    const ended = await repository.run("golden", "check", "golden");
    expect(ended.exitCode).toBe(1);
  });

  it("exits with 0 if nothing breaks", async () => {
    await using repository = await openRepository({ id: { type: "integer" } });
    expect(await repository.run("contract", "check", "--no-json")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^compatible: 3 pairs of version and format, \d+ values written and read\n$/,
      ),
    });
  });
});

describe("waybill contract can-deploy", () => {
  it("says no with the evidence while something runs that does not read what is written", async () => {
    await using repository = await openRepository(added);
    const ended = await repository.run(
      "contract",
      "can-deploy",
      "--to",
      "waybill.contract.json",
      "--no-json",
    );
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain("customer: the reader requires it");
    expect(ended.stdout).toMatch(/can be deployed: no, by 1 contract and 0 live readers\n$/);
  });

  it("says yes beside the same contract, in a directory of contracts", async () => {
    await using repository = await openRepository({ id: { type: "integer" } });
    await mkdir(join(repository.path, "running"));
    await repository.run("contract", "write", "running/orders.json");
    const ended = await repository.run("contract", "can-deploy", "--to", "running", "--no-json");
    expect(ended).toMatchObject({
      exitCode: 0,
      stdout: "can be deployed: yes, by 1 contract and 0 live readers\n",
    });
  });

  it("knows environments by their names, and the contracts of what was deployed there", async () => {
    await using repository = await openRepository(added);
    const canDeploy = ["contract", "can-deploy", "--service", "orders", "--to", "production", "--no-json"];
    expect(await repository.run(...canDeploy)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"contracts/production" is neither a file nor a directory'),
    });
    const deployed = ["contract", "write", "--to", "production", "--no-json"];
    expect(await repository.run(...deployed, "--config", "before.mjs")).toMatchObject({
      exitCode: 0,
      stdout: "contracts/production/orders.json written for production\n",
    });
    expect(await repository.run(...canDeploy)).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/can be deployed: no, by 1 contract and 0 live readers\n$/),
    });
    expect(await repository.run(...deployed)).toMatchObject({ exitCode: 0 });
    expect(await repository.run(...canDeploy)).toMatchObject({ exitCode: 0 });
    expect(await repository.run(...canDeploy, "--service", "billing")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('that of the service "orders", not of "billing"'),
    });
  });

  it("reads the environments of docs/contracts.md", async () => {
    await using folder = await openFolder();
    const config = fixture("environments.config.ts");
    const env = { CONTRACTS_URL: "https://shop.blob.core.windows.net/contracts?sig=a" };
    const write = ["contract", "write", "--to", "staging", "--no-json", "--config", config];
    expect(await runCommand(write, { cwd: folder.path, env })).toMatchObject({
      exitCode: 0,
      stdout: "contracts/staging/orders.json written for staging\n",
    });
  });

  it("needs something that runs", async () => {
    await using repository = await openRepository(added);
    expect(await repository.run("contract", "can-deploy")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--to"),
    });
  });
});

describe("waybill plan check", () => {
  it("prints the order of deployments, what they may break, and what to roll back to", async () => {
    await using repository = await openRepository(added);
    await repository.run("contract", "write", "after.json");
    const check = (...more: readonly string[]) =>
      runCommand(["plan", "check", "waybill.contract.json", "after.json", ...more], { cwd: repository.path });
    const ended = await check("--no-json");
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(
      /^1\. Deploy the readers of orders .*\n {3}may break: "order-placed" version 1 in json: customer: .*\n {3}roll back to: orders as before/,
    );
    expect((await check("--mermaid")).stdout).toMatch(/^flowchart TD\n/);
  });
});

describe("waybill types and waybill asyncapi", () => {
  it("write files that --check keeps up to date", async () => {
    await using repository = await openRepository(added);
    for (const command of ["types", "asyncapi"]) {
      expect(await repository.run(command, "file", "--check")).toMatchObject({ exitCode: 1 });
      expect(await repository.run(command, "file")).toMatchObject({ exitCode: 0 });
      expect(await repository.run(command, "file", "--check")).toMatchObject({ exitCode: 0 });
      const text = await readFile(join(repository.path, "file"), "utf8");
      expect(text).toContain(
        command === "types" ? "export interface OrderPlacedV1 {" : '"asyncapi": "3.0.0"',
      );
    }
  });
});
