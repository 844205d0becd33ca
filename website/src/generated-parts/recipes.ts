import { readdirSync } from "node:fs";

/** What each recipe shows, and the page about it. */
const recipes: Readonly<Record<string, readonly [text: string, page: string]>> = {
  "assumed-format": [
    "read text and bytes, and set the format of bodies without a content type",
    "deserialization.md",
  ],
  avro: ["write and read Avro with your own schemas", "message-types.md"],
  batches: ["send many messages in one batch, and know its size", "sending.md"],
  broker: ["use the local broker without a client", "durability.md"],
  "circuit-breaker": [
    "hold messages in a circuit breaker instead of dead-lettering all of them",
    "processing.md",
  ],
  "claim-check": ["send bodies that are too large for a message", "claim-check.md"],
  "content-type-plan": [
    "change the format of messages without a message type, by percentage",
    "write-plan.md",
  ],
  core: ["deserialize bytes from any source, without a client", "deserialization.md"],
  diagnostics: ["log what a client does", "observability.md"],
  encryption: ["encrypt bodies with your own keys", "encryption.md"],
  envelope: ["read the envelopes of another bus", "message-types.md"],
  "every-format": [
    "read JSON, Avro, MessagePack, CBOR, Protobuf, XML and legacy .NET in one chain",
    "deserialization.md",
  ],
  "golden-messages": ["test with real messages (golden messages)", "checking-a-switch.md"],
  "graceful-stop": ["stop on SIGTERM without losing a message", "production.md"],
  health: ["answer a readiness probe", "stalls.md"],
  "many-replies": ["receive many replies to one request", "patterns/request-reply.md"],
  "message-types": ["define a message in three versions, and handle the current one", "message-types.md"],
  "multicast-request-reply": [
    "send a request to many receivers, over a topic",
    "patterns/multicast-request-reply.md",
  ],
  "multiplexed-request-reply": [
    "share one reply queue between requesters, with sessions",
    "patterns/multiplexed-request-reply.md",
  ],
  multiplexing: ["send several streams over one queue, with sessions", "patterns/multiplexing.md"],
  opentelemetry: ["report spans and metrics", "observability.md"],
  processing: ["handle messages with retries, dead letters and deferrals", "processing.md"],
  quarantine: ["keep undeserializable messages in receive-and-delete mode", "receiving.md"],
  receiving: ["receive, settle, and parse the dead-letter record", "receiving.md"],
  rehearse: ["see how a chain would read a queue, without locking messages", "processing.md"],
  "request-reply": ["send a request and await its reply", "patterns/request-reply.md"],
  sessions: ["handle sessions in order, with state", "sessions.md"],
  "shadow-check": ["compare formats on live traffic, before switching", "checking-a-switch.md"],
  "shared-work": ["count the messages of many entities with many processes", "shared-work.md"],
  "transport-local": ["schedule a message and advance the clock", "testing.md"],
  tutorial: ["run the tutorial as one program", "tutorial.md"],
  verification: ["find bodies that two serializers would accept", "checking-a-switch.md"],
  "write-plan": ["move a message type from JSON to Avro, by percentage", "write-plan.md"],
};

/** The table of recipes: a row for each program of `examples/recipes`. Throws if a program has no text here, or a text no program. */
export function drawRecipes(root: string): string {
  const programs = readdirSync(`${root}examples/recipes/src`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => name.slice(0, -3));
  const odd = [...programs, ...Object.keys(recipes)].filter(
    (name) => !(programs.includes(name) && Object.hasOwn(recipes, name)),
  );
  if (odd.length > 0)
    throw new Error(
      `Each of these needs both a program in examples/recipes and a text in recipes.ts: ${odd.join(", ")}.`,
    );
  const rows = Object.entries(recipes).map(
    ([name, [text, page]]) =>
      `| ${text} | [\`${name}.ts\`](../examples/recipes/src/${name}.ts) | [${page.replace(/^patterns\/|\.md$/g, "")}](${page}) |`,
  );
  return ["| to … | program | more |", "|---|---|---|", ...rows].join("\n");
}
