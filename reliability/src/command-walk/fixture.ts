import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { CommandHost, type CommandOutput } from "./command-host.js";
import { type MaskedNames, masked } from "./mask.js";
import { screenOf } from "./screen.js";
import { type WalkCase, wordsOf } from "./walk-case.js";

/** A broker, a folder of files, and a process that runs the command: the same for each walk. */
export interface WalkFixture extends AsyncDisposable {
  /** Runs a case, and returns its output with masks. */
  run(walkCase: WalkCase): Promise<CommandOutput>;
}

/** Starts everything that a walk needs. */
export async function openFixture(on: "pipe" | "terminal"): Promise<WalkFixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "waybill-walk-")));
  await writeFiles(folder);
  const broker = new SupervisedProcess({
    command: nodeCommand(bin, ["broker", "--config", join(folder, "Config.json"), "--port", 0, "--json"]),
    isReadyLine: (line) => line.includes('"event":"ready"'),
  });
  await broker.ready;
  const [, connectionString = ""] =
    /"connectionString":"([^"]+)"/.exec(broker.stdout.find((line) => line.includes('"listening"')) ?? "") ??
    [];
  const names: MaskedNames = {
    texts: [
      [folder, "<folder>"],
      [workspace, "<waybill>/"],
    ],
  };
  const usual = { SERVICEBUS_CONNECTION_STRING: connectionString, SHOP: connectionString };
  const host = await CommandHost.open(on);
  const run = async ({ line, env = usual, ...rest }: WalkCase): Promise<CommandOutput> => {
    const output = await host.run({
      ...rest,
      args: wordsOf(line),
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: join(folder, "home"), TERM: "xterm-256color", ...env },
    });
    return {
      exitCode: output.exitCode,
      stdout: masked(on === "terminal" ? screenOf(output.stdout) : output.stdout, names),
      stderr: masked(output.stderr, names),
    };
  };
  const census = await run({ line: "census --json", use: "good" });
  await writeFile(join(folder, "census.json"), census.stdout.replaceAll("20YY-MM-DDTHH:MM:SS.sssZ", started));
  return {
    run,
    async [Symbol.asyncDispose]() {
      await host.close();
      await broker.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const bin = new URL("../../../packages/cli/dist/bin.js", import.meta.url);
const workspace = new URL("../../../", import.meta.url).pathname;
const started = new Date().toISOString();
const moduleOf = (name: string) =>
  JSON.stringify(new URL(`packages/${name}/dist/index.js`, new URL("../../../", import.meta.url)).href);

async function writeFiles(folder: string): Promise<void> {
  for (const [name, content] of Object.entries(files())) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

function files(): Record<string, string | Uint8Array> {
  const queue = (Name: string, Properties = {}) => ({ Name, Properties });
  const config = (Queues: object[], Topics: object[] = []) =>
    JSON.stringify({ UserConfig: { Namespaces: [{ Name: "sbemulatorns", Queues, Topics }] } });
  const session = { RequiresSession: true };
  const large = {
    Name: "large",
    Rules: [
      { Name: "large", Properties: { FilterType: "Sql", SqlFilter: { SqlExpression: "total > 1000" } } },
    ],
  };
  return {
    "Config.json": config(
      [
        queue("orders"),
        queue("failures"),
        queue("billing", session),
        queue("jobs", session),
        queue("reads"),
        queue("beacons"),
      ],
      [{ Name: "events", Subscriptions: [{ Name: "all" }, large] }],
    ),
    "more.json": config([queue("orders"), queue("more", { MaxDeliveryCount: 5 })]),
    "refused.json": config([queue("forwarding", { ForwardTo: "nowhere", RequiresSession: false })]),
    "misspelt.json": '{ "UserConfig": { "Namespaces": [{ "Name": "sbemulatorns", "Queus": [] }] } }',
    "broken.json": "{",
    "keys.json": JSON.stringify([{ name: "root", key: "a-key-of-our-own", rights: ["Manage"] }]),
    "order.json": '{"id":2,"customer":{"name":"Ada"}}\n',
    "order.msgpack": Uint8Array.of(0x81, 0xa2, 0x69, 0x64, 0x03),
    "garbage.bin": Uint8Array.of(0xff, 0xfe, 0xfd),
    "lines.ndjson": '{"id":0}\n{"id":5}\n{"id":6}\n',
    "broken.ndjson": '{"id":1}\n{"id":\n',
    "bodies/a.json": '{"id":"a"}',
    "bodies/b.json": '{"id":"b"}',
    "broken.mjs": "export default {};\n",
    "json-only.mjs": `import { json } from ${moduleOf("serializer-json")};\nexport default { serializer: json() };\n`,
    "typed.mjs": typed(1, 2),
    "service.mjs": service({ id: { type: "integer" } }),
    "changed.mjs": service({ id: { type: "integer" }, customer: { type: "string" } }),
    "home/.gitkeep": "",
  };
}

/** A chain with versions of a message type, of which each can be written. */
function typed(first: number, current: number): string {
  return `import { defineMessage } from ${moduleOf("core")};
import { json } from ${moduleOf("serializer-json")};
import { msgpack } from ${moduleOf("serializer-msgpack")};

const orderPlaced = defineMessage("order-placed", {
  version: ${current},
  upcasters: { ${first}: (body) => ({ ...body, isNew: true }) },
  downcasters: { ${current}: ({ isNew, ...body }) => body },
});

export default { serializer: json(), additionalDeserializers: [msgpack()], messageTypes: [orderPlaced] };
`;
}

/** A chain whose message type has these properties, and its contract. */
function service(properties: object): string {
  return `import { defineMessage } from ${moduleOf("core")};
import { json } from ${moduleOf("serializer-json")};

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
}
