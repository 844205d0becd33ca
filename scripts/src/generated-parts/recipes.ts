import { readdirSync } from "node:fs";

/** What each recipe shows, and the page that tells more. */
const recipes: Readonly<Record<string, readonly [text: string, page: string]>> = {
  "assumed-format": ["read texts and bytes, and name what unlabelled bodies are", "deserialization.md"],
  avro: ["write and read Avro under schemas of your own", "message-types.md"],
  batches: ["send many messages as one, with a size that is known", "sending.md"],
  broker: ["use the broker engine itself", "durability.md"],
  "circuit-breaker": [
    "hold messages instead of emptying a queue into the dead-letter queue",
    "processing.md",
  ],
  "claim-check": ["send bodies that are too large for a message", "claim-check.md"],
  "content-type-plan": ["change the format of messages without a message type, by percent", "write-plan.md"],
  core: ["use the pipeline alone, on bytes from anywhere", "deserialization.md"],
  diagnostics: ["log what a client does", "observability.md"],
  encryption: ["encrypt bodies with keys of your own", "encryption.md"],
  envelope: ["read the envelopes of another bus", "message-types.md"],
  "every-format": [
    "read JSON, Avro, MessagePack, CBOR, Protobuf, XML and legacy .NET in one chain",
    "deserialization.md",
  ],
  "golden-messages": ["keep real messages as tests", "checking-a-switch.md"],
  "graceful-stop": ["stop on SIGTERM without losing a message", "production.md"],
  health: ["answer a readiness probe", "stalls.md"],
  "many-replies": ["gather many replies to one request", "patterns/request-reply.md"],
  "message-types": ["define a message in three versions, and handle the current one", "message-types.md"],
  "multicast-request-reply": ["ask many, over a topic", "patterns/multicast-request-reply.md"],
  "multiplexed-request-reply": ["share one reply queue, by session", "patterns/multiplexed-request-reply.md"],
  multiplexing: ["send several streams over one queue, by session", "patterns/multiplexing.md"],
  opentelemetry: ["make spans and metrics", "observability.md"],
  processing: ["handle messages with retries, dead letters and deferrals", "processing.md"],
  quarantine: ["keep undeserializable messages in receive-and-delete mode", "receiving.md"],
  receiving: ["receive, settle, and look into the dead-letter record", "receiving.md"],
  rehearse: ["see what a chain would make of a queue, before it locks anything", "processing.md"],
  "request-reply": ["send a request and await its answer", "patterns/request-reply.md"],
  sessions: ["handle sessions in order, with state", "sessions.md"],
  "shadow-check": ["compare formats on live traffic, before switching", "checking-a-switch.md"],
  "transport-local": ["schedule a message and advance the clock", "testing.md"],
  tutorial: ["the tutorial, as one program", "tutorial.md"],
  verification: ["prove that formats cannot be confused", "checking-a-switch.md"],
  "write-plan": ["move a message type from JSON to Avro, by percent", "write-plan.md"],
};

/** The gallery: a row for each program of `examples/recipes`. Throws for one that has no text here, and for a text without a program. */
export function drawRecipes(root: string): string {
  const programs = readdirSync(`${root}examples/recipes/src`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => name.slice(0, -3));
  const odd = [...programs, ...Object.keys(recipes)].filter(
    (name) => !(programs.includes(name) && Object.hasOwn(recipes, name)),
  );
  if (odd.length > 0) throw new Error(`No recipe and text for ${odd.join(", ")}.`);
  const rows = Object.entries(recipes).map(
    ([name, [text, page]]) =>
      `| ${text} | [\`${name}.ts\`](../examples/recipes/src/${name}.ts) | [${page.replace(/^patterns\/|\.md$/g, "")}](${page}) |`,
  );
  return ["| to … | program | more |", "|---|---|---|", ...rows].join("\n");
}
