import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseBrokerConfig } from "../../packages/broker-server/src/config.js";
import { type Field, isField } from "../../packages/broker-server/src/http/management/entity-fields.js";
import { entityKinds } from "../../packages/broker-server/src/http/management/entity-xml.js";
import { readNamespace } from "../../packages/cli/src/broker-config/read-namespace.js";
import { writeNamespace } from "../../packages/cli/src/broker-config/write-namespace.js";
import { type AdministrationFixture, openFixture } from "./fixture.js";

type Kind = keyof typeof entityKinds;

const rules = (name: string) =>
  `<AuthorizationRule><ClaimType>SharedAccessKey</ClaimType><Rights><AccessRights>Send</AccessRights></Rights><KeyName>${name}</KeyName>` +
  "<PrimaryKey>cHJpbWFyeQ==</PrimaryKey><SecondaryKey>c2Vjb25kYXJ5</SecondaryKey></AuthorizationRule>";

/** Two values of each element. */
const samples: Readonly<Record<string, readonly [first: string, second: string]>> = {
  LockDuration: ["PT45S", "PT30S"],
  MaxSizeInMegabytes: ["2048", "3072"],
  RequiresDuplicateDetection: ["true", "false"],
  RequiresSession: ["true", "false"],
  DefaultMessageTimeToLive: ["PT2H", "PT3H"],
  DeadLetteringOnMessageExpiration: ["true", "false"],
  DuplicateDetectionHistoryTimeWindow: ["PT1M", "PT2M"],
  MaxDeliveryCount: ["7", "8"],
  EnableBatchedOperations: ["false", "true"],
  AuthorizationRules: [rules("first"), rules("second")],
  Status: ["Disabled", "Active"],
  ForwardTo: ["target", "other"],
  UserMetadata: ["a note", "another"],
  AutoDeleteOnIdle: ["PT1H", "PT2H"],
  EnablePartitioning: ["true", "false"],
  ForwardDeadLetteredMessagesTo: ["target", "other"],
  EnableExpress: ["true", "false"],
  MaxMessageSizeInKilobytes: ["2048", "4096"],
  SupportOrdering: ["false", "true"],
  DeadLetteringOnFilterEvaluationExceptions: ["false", "true"],
};
/** They cannot be changed after the creation of their entity. */
const fixed = ["RequiresDuplicateDetection", "RequiresSession", "EnablePartitioning"];
const headings = ["create", "get", "update with", "update without", "pull", "push", "JS", "Python"];
const recorded = new URL("python-elements.json", import.meta.url);
const script = fileURLToPath(new URL("../../interop/python/azure_service_bus_elements.py", import.meta.url));
const sharedKey = { claimType: "SharedAccessKey", primaryKey: "cHJpbWFyeQ==", secondaryKey: "c2Vjb25kYXJ5" };

/** One element of one kind of entity. */
interface Case {
  readonly kind: Kind;
  readonly field: Field;
  readonly first: string;
  readonly second: string;
}

const cases: readonly Case[] = (Object.keys(entityKinds) as Kind[]).flatMap((kind) =>
  entityKinds[kind].members.filter(isField).map((field) => {
    const [first, second] = samples[field.element] ?? [];
    if (first === undefined || second === undefined)
      throw new Error(`There is no sample of ${field.element}`);
    return { kind, field, first, second };
  }),
);

const introduction = `# The management API, element by element

The broker answers the administration clients of every SDK like Service Bus. This table is written by a test that creates, reads, updates, pulls and
pushes an entity for each element, over HTTP, with the clients of JavaScript and Python, and with the command \`npx waybill broker\`:

- *update without*: what an update does to the value if it leaves the element out. Forwarding and user metadata end; other values stay.
- *pull*: \`waybill broker pull\` writes it into a configuration. Keys of authorization rules stay where they are: add them by hand.
- *push*: \`waybill broker push --apply\` creates an entity with it. Outside Premium it leaves out \`MaxMessageSizeInKilobytes\`.
- *JS*, *Python*: the official clients set, read and change it, and remove it where that is possible. Python's is the version of Debian 12.

The size of a partitioned entity is shown for all of its 16 partitions. Values of rules keep their types: \`int\`, \`long\`, \`double\`, \`boolean\`,
\`dateTime\` with seven digits, \`duration\`. Reading what does not exist answers with an empty feed, which SDKs report as not found.

Status, text and elements of the answers are compared with [recorded ones of Service Bus](../packages/broker-server/src/http/management/recorded-answers.test.ts).

Authorization rules of a queue or topic open this entity only, with their primary and secondary keys, over AMQP and HTTP. Those of the namespace are
[keys of the server](security.md#which-key-to-choose). An entity that forwards needs a token for the target, too, as SDKs send it.

Once a rule is removed, or a key of it changed, every token issued with it is refused. A connection that has shown such a token before may use
it until it expires. Service Bus does the same.
`;

it("is the table in docs/management.md", async () => {
  await using standard = await openNamespace("standard");
  await using premium = await openNamespace("premium");
  const rows: string[] = [];
  const python = await pythonOutcomes();
  for (const [index, one] of cases.entries()) {
    const fixture = one.field.element === "MaxMessageSizeInKilobytes" ? premium : standard;
    const cells = [
      ...(await overHttp(fixture, one, index)),
      ...(await throughFiles(one)),
      await overSdk(fixture, one, index),
    ];
    const name = `${one.kind} ${one.field.element}`;
    rows.push(
      `| ${one.kind} | \`${one.field.element}\` | ${[...cells, python[name] ?? "not run"].join(" | ")} |`,
    );
  }
  const heading = `| entity | element | ${headings.join(" | ")} |\n|${"---|".repeat(headings.length + 2)}`;
  const page = `${introduction}\n${heading}\n${rows.join("\n")}\n`;
  // npx -y pnpm@12 exec vitest run test/administration/elements-table -u writes it.
  await expect(page).toMatchFileSnapshot("../../docs/management.md");
}, 120_000);

async function openNamespace(
  tier: "standard" | "premium",
  transport: "HTTP" | "TLS" = "HTTP",
): Promise<AdministrationFixture> {
  const fixture = await openFixture(transport, tier);
  await fixture.broker.createQueue("target");
  await fixture.broker.createQueue("other");
  await fixture.broker.createTopic("table");
  return fixture;
}

function pathOf({ kind }: Case, name: string): string {
  return kind === "subscription" ? `/table/Subscriptions/${name}` : `/${name}`;
}

/** What creating, reading, and updating with and without the element answer. */
async function overHttp(fixture: AdministrationFixture, one: Case, index: number): Promise<string[]> {
  const { kind, field, first, second } = one;
  const path = `${pathOf(one, `http-${index}`)}?api-version=2021-05`;
  const put = async (members: string, headers: Record<string, string> = {}) => {
    const { element } = entityKinds[kind];
    const body = `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><${element}>${members}</${element}></content></entry>`;
    return await fixture.call("PUT", path, { body, headers });
  };
  const member = (text: string) => `<${field.element}>${text}</${field.element}>`;
  const has = (body: string, text: string) =>
    field.kind === "rules"
      ? body.includes(`<KeyName>${text.includes("first") ? "first" : "second"}</KeyName>`)
      : new RegExp(`<${field.element}>(?:sb://[^<]*/|)${text}</${field.element}>`).test(body);
  const created = await put(member(first));
  const got = await fixture.call("GET", path);
  const update = { "if-match": "*" };
  const changed = await put(member(second), update);
  const isFixed = changed.status === 400 && /cannot be changed/.test(changed.body);
  const before = isFixed ? first : second;
  const without = await put("", update);
  return [
    created.status === 201 && has(created.body, first) ? "set" : `no: ${created.status}`,
    has(got.body, first) ? "shown" : "not shown",
    isFixed ? "refused: fixed" : has(changed.body, second) ? "changed" : `no: ${changed.status}`,
    has(without.body, before) ? "kept" : without.body.includes(`<${field.element}`) ? "default" : "removed",
  ];
}

/** Whether `waybill broker push` creates what a configuration says, and `pull` writes it down again. */
async function throughFiles({ kind, field, first }: Case): Promise<string[]> {
  await using fixture = await openNamespace(
    field.element === "MaxMessageSizeInKilobytes" ? "premium" : "standard",
  );
  const value =
    field.kind === "rules"
      ? [{ KeyName: "first", Rights: ["Send"], PrimaryKey: "a", SecondaryKey: "b" }]
      : toValue(field, first);
  const entity = { Name: "file", Properties: { [field.element]: value } };
  const namespace =
    kind === "queue"
      ? { Queues: [entity] }
      : { Topics: [kind === "topic" ? entity : { Name: "table", Subscriptions: [entity] }] };
  const silent = { warn: () => {}, emulatorDefaults: false };
  const [config] = parseBrokerConfig(JSON.stringify({ Namespaces: [namespace] }), "Config.json", silent);
  if (config === undefined) throw new Error("There is no namespace");
  await writeNamespace(fixture.client, config, { apply: true, onStep: () => {} });
  const path = kind === "subscription" ? "table/Subscriptions/file" : "file";
  const given = config[kind === "queue" ? "queues" : "topics"][0];
  const properties =
    kind === "subscription" ? config.topics[0]?.subscriptions[0]?.properties : given?.properties;
  const made = fixture.broker.getEntity(path).options as unknown as Record<string, unknown>;
  const wanted = properties?.[field.option];
  const isMade = JSON.stringify(made[field.option]) === JSON.stringify(wanted);
  const text = JSON.stringify(
    await readNamespace(fixture.client, { warn: () => {}, abortSignal: new AbortController().signal }),
  );
  const isRead = text.includes(`"${field.element}":${JSON.stringify(value)}`);
  return [isRead ? "yes" : field.kind === "rules" ? "no: has keys" : "no", isMade ? "yes" : "no"];
}

/** Whether the administration client of JavaScript sets, reads, changes and removes it. */
async function overSdk({ client }: AdministrationFixture, one: Case, index: number): Promise<string> {
  const { kind, field, first, second } = one;
  const name = `sdk-${index}`;
  const option = field.option.replace(/Ms$/, "");
  const values = [first, second].map((text) =>
    field.kind === "rules"
      ? [{ ...sharedKey, accessRights: ["Send"], keyName: text.includes("first") ? "first" : "second" }]
      : toValue(field, text),
  );
  const { create, get, update } = callsOf(client, kind, name);
  await create({ [option]: values[0] });
  const shows = (entity: object, value: unknown) => {
    const found = (entity as Record<string, unknown>)[option];
    if (field.kind === "rules")
      return JSON.stringify(found).includes((value as { keyName: string }[])[0]?.keyName ?? "");
    return typeof found === "string" ? found.endsWith(String(value)) : found === value;
  };
  if (!shows(await get(), values[0])) return "no";
  try {
    const changed = await update({ ...(await get()), [option]: values[1] });
    if (!shows(changed, values[1])) return "no";
  } catch (error) {
    if (!/cannot be changed/.test(String(error))) throw error;
  }
  if (field.isRemovedByOmission) {
    const removed = await update({ ...(await get()), [option]: undefined });
    if ((removed as Record<string, unknown>)[option] !== undefined) return "no";
  }
  return "yes";
}

/** The methods of the client for an entity of a kind. */
function callsOf(client: AdministrationFixture["client"], kind: Kind, name: string) {
  const calls = {
    queue: {
      create: (options: object) => client.createQueue(name, options),
      get: () => client.getQueue(name),
      update: (to: object) => client.updateQueue(to as never),
    },
    topic: {
      create: (options: object) => client.createTopic(name, options),
      get: () => client.getTopic(name),
      update: (to: object) => client.updateTopic(to as never),
    },
    subscription: {
      create: (options: object) => client.createSubscription("table", name, options),
      get: () => client.getSubscription("table", name),
      update: (to: object) => client.updateSubscription(to as never),
    },
  };
  return calls[kind] as {
    create(options: object): Promise<object>;
    get(): Promise<object>;
    update(to: object): Promise<object>;
  };
}

function toValue({ kind }: Field, text: string): string | number | boolean {
  if (kind === "boolean") return text === "true";
  return kind === "integer" ? Number(text) : text;
}

/** The outcomes of Python's client where it is installed, which must be the recorded ones; else those. */
async function pythonOutcomes(): Promise<Record<string, string>> {
  if (!existsSync("/usr/lib/python3/dist-packages/azure/servicebus"))
    return JSON.parse(await readFile(recorded, "utf8")) as Record<string, string>;
  const outcomes: Record<string, string> = {};
  for (const tier of ["standard", "premium"] as const) Object.assign(outcomes, await runPython(tier));
  await expect(`${JSON.stringify(outcomes, undefined, 2)}\n`).toMatchFileSnapshot(fileURLToPath(recorded));
  return outcomes;
}

async function runPython(tier: "standard" | "premium"): Promise<Record<string, string>> {
  await using fixture = await openNamespace(tier, "TLS");
  const directory = await mkdtemp(join(tmpdir(), "waybill-elements-"));
  try {
    const ca = join(directory, "ca.pem");
    await writeFile(ca, fixture.ca ?? "");
    const env = {
      ...process.env,
      SERVICEBUS_CONNECTION_STRING: fixture.connectionString,
      REQUESTS_CA_BUNDLE: ca,
    };
    const input = cases
      .filter(({ field }) => (field.element === "MaxMessageSizeInKilobytes") === (tier === "premium"))
      .map(({ kind, field, first, second }) => ({
        kind,
        element: field.element,
        option: field.option.replace(/Ms$/, ""),
        first: field.kind === "rules" ? ["first"] : toValue(field, first),
        second: field.kind === "rules" ? ["second"] : toValue(field, second),
        fixed: fixed.includes(field.element),
        removable: field.isRemovedByOmission === true,
      }));
    return await new Promise((resolve, reject) => {
      const child = execFile("/usr/bin/python3", [script], { env }, (error, stdout) =>
        error === null ? resolve(JSON.parse(stdout) as Record<string, string>) : reject(error),
      );
      child.stdin?.end(JSON.stringify(input));
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}
