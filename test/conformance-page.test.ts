import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Case, type TransportSubject, transportCases } from "@waybill/conformance";
import { expect, it } from "vitest";
import {
  capabilities,
  openNamespaceEnvironment,
  openServerEnvironment,
} from "../packages/transport-azure/src/environments.test-support.js";
import { knownGaps } from "../packages/transport-azure/src/known-gaps.test-support.js";
import { openLocalFixture } from "../packages/transport-local/src/local-fixture.test-support.js";
import { root } from "./workspace-packages.js";

/** The last result of an environment: for each part of the suite, its cases and those that passed. */
interface EnvironmentResult {
  /** The day, or null if it never ran. */
  readonly lastRan: string | null;
  readonly parts: Readonly<Record<string, { readonly clauses: number; readonly held: number }>>;
}

const page = `${root}docs/conformance.md`;
const record = `${root}test/conformance-results.json`;
const connectionString = process.env.SERVICEBUS_CONNECTION_STRING;

const localSubject: TransportSubject = {
  create: async () => openLocalFixture(),
  capabilities: ["scheduling", "deferral", "sessions", "sessionEnumeration", "rules", "transferDeadLetter"],
  maxMessageBytes: 1024 * 1024,
};

/** The environments, by the headings of their columns; undefined if not available here. */
const environments: Readonly<Record<string, (() => Promise<EnvironmentResult>) | undefined>> = {
  "transport-local": () => trySuite(localSubject),
  "transport-azure → broker-server": async () => {
    await using environment = await openServerEnvironment();
    return await trySuite(environment.subject);
  },
  "transport-azure → Azure": connectionString === undefined ? undefined : () => tryOnAzure(connectionString),
};

it("lists in docs/conformance.md the result of every environment, for each case of the current suite", {
  timeout: 3_600_000,
}, async () => {
  const results = readResults();
  if (process.env.UPDATE_DOCS === "1") {
    for (const [name, tryHere] of Object.entries(environments)) if (tryHere) results[name] = await tryHere();
    writeFileSync(record, `${JSON.stringify(results, null, 2)}\n`);
    writeFileSync(page, toPage(results));
  }
  for (const [name, { lastRan, parts }] of Object.entries(results)) {
    const subject = name === "transport-local" ? localSubject : { ...localSubject, capabilities };
    if (lastRan !== null) expect(clauseCounts(parts)).toEqual(countsOfToday(subject));
  }
  expect(readFileSync(page, "utf8")).toBe(toPage(results));
});

function readResults(): Record<string, EnvironmentResult> {
  const known = existsSync(record)
    ? (JSON.parse(readFileSync(record, "utf8")) as Record<string, EnvironmentResult>)
    : {};
  const never: EnvironmentResult = { lastRan: null, parts: {} };
  return Object.fromEntries(Object.keys(environments).map((name) => [name, known[name] ?? never]));
}

async function tryOnAzure(connection: string): Promise<EnvironmentResult> {
  await using environment = await openNamespaceEnvironment(connection);
  return await trySuite(environment.subject);
}

async function trySuite(subject: TransportSubject): Promise<EnvironmentResult> {
  const parts: Record<string, { clauses: number; held: number }> = {};
  for (const clause of transportCases(subject)) {
    const part = parts[partOf(clause)] ?? { clauses: 0, held: 0 };
    parts[partOf(clause)] = part;
    part.clauses++;
    await clause.run().then(
      () => part.held++,
      () => {},
    );
  }
  return { lastRan: new Date().toISOString().slice(0, 10), parts };
}

function countsOfToday(subject: TransportSubject): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const clause of transportCases(subject)) {
    counts[partOf(clause)] = (counts[partOf(clause)] ?? 0) + 1;
  }
  return counts;
}

function clauseCounts(parts: EnvironmentResult["parts"]): Record<string, number> {
  return Object.fromEntries(Object.entries(parts).map(([name, { clauses }]) => [name, clauses]));
}

/** The part before the colon. */
function partOf({ name }: Case): string {
  return name.slice(0, name.indexOf(":"));
}

function toPage(results: Readonly<Record<string, EnvironmentResult>>): string {
  const columns = Object.values(results);
  const rows = Object.entries(countsOfToday(localSubject)).map(([part, clauses]) => [
    part,
    String(clauses),
    ...columns.map(({ lastRan, parts }) => (lastRan === null ? "" : heldText(parts[part], clauses))),
  ]);
  const header = ["part of the suite", "clauses", ...Object.keys(results)];
  const lastRan = ["**last ran**", "", ...columns.map((column) => column.lastRan ?? "never ran")];
  const table = [header, header.map(() => "---"), lastRan, ...rows].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
  return `# Conformance

Every transport passes one conformance suite, [the transport cases of \`@waybill/conformance\`](../packages/conformance/README.md). The suite runs in
three environments: on the broker in the same process; with the official SDK on the broker's server; and with the official SDK on an
Azure namespace, if \`SERVICEBUS_CONNECTION_STRING\` is set and has the Manage claim. There it creates its own entities and removes them.

This page is generated by \`UPDATE_DOCS=1 npx -y pnpm@12 test\`. "All" means that every case passed.

${table.join("\n")}

Known gaps of transport-azure: ${knownGaps.length === 0 ? "none" : knownGaps.map(({ name, reason }) => `${name} (${reason})`).join("; ")}.
`;
}

function heldText(part: { clauses: number; held: number } | undefined, clauses: number): string {
  if (part === undefined) return "";
  if (part.held < part.clauses) return `${part.held} of ${part.clauses}`;
  return part.clauses === clauses ? "all" : `all ${part.clauses}`;
}
