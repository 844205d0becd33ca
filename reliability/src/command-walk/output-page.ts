import type { WalkedCommand } from "./command-tree.js";
import { addValue, newShape, type Shape, shapeText } from "./json-shape.js";

/** What a command wrote as JSON in one run. */
export interface JsonOutput {
  readonly command: WalkedCommand;
  readonly text: string;
}

/** Commands whose JSON is in a form of somebody else. */
const foreign: Readonly<Record<string, string>> = {
  "entities show": "An entry of a [`Config.json`](management.md), as `broker --config` takes it.",
  "entities change": "The entity as it is now, an entry of a [`Config.json`](management.md).",
  "broker pull": "A whole `Config.json`.",
  "sessions state": "",
  transcode: "The body itself.",
  mcp: "JSON-RPC 2.0, as the Model Context Protocol describes it.",
};

/** The page of what commands write as JSON. Throws `SyntaxError` for an output that is neither lines nor a document of JSON. */
export function outputPage(outputs: readonly JsonOutput[]): string {
  const known = new Map<string, { readonly shape: Shape; readonly kinds: Set<string> }>();
  for (const { command, text } of outputs) {
    const name = command.path.join(" ");
    if (["broker", "mcp", "transcode"].includes(name) || text.trim() === "") continue;
    const { values, kind } = parsed(text);
    const entry = known.get(name) ?? { shape: newShape(), kinds: new Set() };
    for (const value of values) addValue(entry.shape, value, "");
    entry.kinds.add(kind);
    known.set(name, entry);
  }
  const sections = [...known, ["broker", undefined] as const]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, output]) => {
      if (output === undefined) return brokerSection;
      const { shape, kinds } = output;
      const isLines = kinds.has("lines") || linewise.has(name);
      const form = isLines ? "One line of JSON for each of them." : "One document.";
      const text = foreign[name];
      if (text) return `## waybill ${name}\n\n${form} ${text}\n`;
      return `## waybill ${name}\n\n${form}\n\n\`\`\`text\n${shapeText(shape)}\n\`\`\`\n`;
    });
  return `${head}\n${sections.join("\n")}`;
}

/** A line of JSON looks like a document of one line. */
const linewise: ReadonlySet<string> = new Set([
  "peek",
  "tail",
  "receive",
  "scheduled list",
  "sessions list",
  "entities list",
  "entities rules list",
  "dead-letters show",
  "worker",
  "explore",
]);

function parsed(text: string): { readonly values: readonly unknown[]; readonly kind: "lines" | "document" } {
  try {
    return { values: [JSON.parse(text)], kind: "document" };
  } catch {
    const lines = text.split("\n").filter((line) => line !== "");
    return { values: lines.map((line) => JSON.parse(line) as unknown), kind: "lines" };
  }
}

/** The log is no output of a walk: which events there are depends on what clients do. The tests of the command compare their lines with this table. */
const brokerSection = `## waybill broker

With \`--json\`, the log is one line of JSON for each event, on the standard output; without, warnings and errors go to the standard error. \`--verbose\` adds the
level debug. Each line has \`time\`, \`level\`, \`event\` and \`message\`, which is the text without \`--json\`, and what its event has besides:

| event | level | properties |
|---|---|---|
| \`loading\` | info | \`namespace: string\`, \`messages: number\` so far; at each 100,000 while a store is loaded |
| \`listening\` | info | \`namespace: string\`, \`host: string\`, \`ports: number[]\`, \`health: string\`, \`connectionString: string\`, \`queues: number\`, \`topics: number\`, \`subscriptions: number\`; for each namespace |
| \`tls\` | info | \`ca: string\`, the file that clients must trust |
| \`ready\` | info | \`readyMs: number\`; clients can connect to every namespace |
| \`stopping\`, \`stopped\` | info | |
| \`config\` | warn | what a configuration has that is not used |
| \`data\` | warn | \`namespace: string\` that has data, and is not in the configuration |
| \`warning\` | warn | \`code?: string\`; a warning of the process |
| \`refused\` | warn | \`namespace: string\`, \`client?: string\`, \`entity?: string\`, \`detail?: string\`, which is the reason; 20 in a minute, and then one without client |
| \`storage-failed\` | error | \`namespace: string\`; the disk is full or broken |
| \`storage-recovered\` | info | \`namespace: string\` |
| \`connected\` | debug | \`namespace: string\`, \`client: string\`, \`detail: string\`, which is what the client calls itself |
| \`disconnected\` | debug | \`namespace: string\`, \`client: string\` |
| \`abandoned\`, \`activated\`, \`auto-deleted\`, \`cancelled\`, \`completed\`, \`dead-lettered\`, \`deferred\`, \`delivered\`, \`dropped-as-duplicate\`, \`enqueued\`, \`entity-created\`, \`entity-deleted\`, \`entity-updated\`, \`expired\`, \`forwarded\`, \`lock-expired\`, \`lock-renewed\`, \`matched-no-subscription\`, \`published\`, \`purged\`, \`scheduled\`, \`session-accepted\`, \`session-released\` | debug | \`namespace: string\`, \`entity: string\`, \`sequenceNumber?: string\`, \`messageId?: string\`, \`sessionId?: string\`, \`detail?: string\`, such as a reason |

The file of \`--ready-file\` is in [the local broker from other languages](other-languages.md#start-it-from-a-test-in-any-language).
`;

const head = `# What commands write as JSON

On a pipe, and with \`--json\`, a command writes JSON to the standard output and nothing else; notes and errors go to the standard error. Each command has one
shape, whatever it found. 64-bit numbers are strings, instants are ISO 8601, bytes are Base64; values of bodies that JSON cannot express are tagged, such as
\`{ "$bigint": "1" }\`. A time that never ends is \`null\`. A property with \`?\` may be missing, and more properties may come in later versions. A message has
those of [its properties](broker-properties.md) that are set, by their names in JavaScript; with \`--body\`, it has its value as \`body\`, or its bytes as \`rawBody\` if it
cannot be deserialized.

\`reliability command-walk\` runs every command and compares this page with what they wrote. Commands that are not here write text: a token, a file, a line about
what was done.
`;
