import { readFile } from "node:fs/promises";

/** An event as docs/json-output.md describes it. */
interface DocumentedEvent {
  readonly level: string;
  /** Types of properties by name; those that may be missing end with a question mark. */
  readonly properties: ReadonlyMap<string, string>;
}

const page = new URL("../../../docs/json-output.md", import.meta.url);
const everywhere = ["time", "level", "event", "message"];

/** The table of the broker's log in the documentation. */
export async function documentedLog(): Promise<ReadonlyMap<string, DocumentedEvent>> {
  const [, section = ""] = /^## waybill broker$(.*?)^## /ms.exec(await readFile(page, "utf8")) ?? [];
  const rows = Array.from(section.matchAll(/^\| (`.+?) \| (\w+) \| (.*)\|$/gm));
  return new Map(
    rows.flatMap(([, events = "", level = "", text = ""]) => {
      const properties = new Map(
        Array.from(
          text.matchAll(/`(\w+\??): ([^`]+)`/g),
          ([, name = "", type = ""]) => [name, type] as const,
        ),
      );
      return Array.from(
        events.matchAll(/`([^`]+)`/g),
        ([, event = ""]) => [event, { level, properties }] as const,
      );
    }),
  );
}

/** What a line of the log has that the documentation does not say, or lacks. */
export function undocumentedIn(
  line: Readonly<Record<string, unknown>>,
  log: ReadonlyMap<string, DocumentedEvent>,
): string[] {
  const documented = log.get(String(line.event));
  if (documented === undefined) return [`the event ${line.event}`];
  const found = Object.entries(line).filter(([name]) => !everywhere.includes(name));
  const { level, properties } = documented;
  return [
    ...everywhere.filter((name) => typeof line[name] !== "string"),
    ...(line.level === level ? [] : [`the level ${line.level} of ${line.event}`]),
    ...found.flatMap(([name, value]) =>
      [properties.get(name), properties.get(`${name}?`)].includes(typeOf(value))
        ? []
        : [`${name} of ${line.event}`],
    ),
    ...[...properties.keys()]
      .filter((name) => !name.endsWith("?") && !(name in line))
      .map((name) => `${name} is missing in ${line.event}`),
  ];
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? `${typeof value[0]}[]` : typeof value;
}
