import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createPipeline, type EncodedMessage, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { msgpack } from "@waybill/serializer-msgpack";
import fc from "fast-check";
import type { PeerResult } from "./peer-result.js";
import { tagged } from "./tagged-value.js";
import { avroSchema, avroValues, bigIntegers, plainValues } from "./values.js";

interface Format {
  readonly name: "avro" | "cbor" | "msgpack";
  readonly package: string;
  readonly serializer: Serializer;
  readonly schema?: object;
  readonly values: fc.Arbitrary<unknown>;
}

const formats: readonly Format[] = [
  {
    name: "avro",
    package: "python3-avro",
    serializer: avro({ schema: avroSchema, schemaId: "everything", framing: "raw" }),
    schema: avroSchema,
    values: avroValues(),
  },
  { name: "cbor", package: "python3-cbor2", serializer: cbor(), values: plainValues([bigIntegers]) },
  { name: "msgpack", package: "python3-msgpack", serializer: msgpack(), values: plainValues() },
];

interface Answer {
  readonly read?: unknown;
  readonly readError?: string;
  readonly written?: string;
  readonly writtenError?: string;
}

/** Lets Debian's libraries for Python read what we write of `count` values of each format, and reads what they write of them. */
export async function pythonResults(python: string, count: number, seed: number): Promise<PeerResult[]> {
  const script = fileURLToPath(new URL("../../python/formats_peer.py", import.meta.url));
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (task?: object): Promise<unknown> => {
    if (task !== undefined) child.stdin.write(`${JSON.stringify(task)}\n`);
    const { value, done } = await lines.next();
    if (done === true)
      throw new Error(`${python} ended. It needs python3-avro, python3-cbor2 and python3-msgpack.`);
    return JSON.parse(value);
  };
  const versions = (await ask()) as Readonly<Record<Format["name"], string>>;
  const results: PeerResult[] = [];
  for (const format of formats) {
    const findings: string[] = [];
    for (const value of fc.sample(format.values, { numRuns: count, seed }))
      findings.push(...(await exchange(format, value, ask as (task: object) => Promise<Answer>)));
    results.push({
      name: `Debian ${format.package}`,
      version: versions[format.name],
      ours: `serializer-${format.name}`,
      values: count,
      findings,
    });
  }
  child.stdin.end();
  await ended;
  return results;
}

/** One value both ways; what differs, in words. */
async function exchange(
  { name, serializer, schema }: Format,
  value: unknown,
  ask: (task: object) => Promise<Answer>,
): Promise<string[]> {
  const pipeline = createPipeline({ serializer });
  const expected = tagged(value);
  const message = (await pipeline.serialize({ body: value })) as EncodedMessage;
  const bytes = Buffer.from(message.body as Uint8Array).toString("base64");
  const answer = await ask({
    format: name,
    value: expected,
    bytes,
    ...(schema === undefined ? {} : { schema }),
  });
  const findings: string[] = [];
  if (!isDeepStrictEqual(answer.read, expected))
    findings.push(
      `Python reads ${answer.readError ?? JSON.stringify(answer.read)} instead of ${JSON.stringify(expected)}`,
    );
  if (answer.written === undefined) return [...findings, `Python writes ${answer.writtenError}`];
  const body = new Uint8Array(Buffer.from(answer.written, "base64"));
  const outcome = await pipeline.deserialize({ body, contentType: message.contentType });
  const read = outcome.status === "decoded" ? tagged(outcome.body) : outcome.report.attempts;
  if (!isDeepStrictEqual(read, expected))
    findings.push(
      `waybill reads ${JSON.stringify(read)} instead of ${JSON.stringify(expected)} (${answer.written})`,
    );
  return findings;
}
