import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { createPipeline, type DeserializationOutcome, type EncodedMessage } from "@waybill/core";
import { required } from "@waybill/foundation";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { allBodies } from "../growing-bodies/all-bodies.js";
import type { GrowingBody } from "../growing-bodies/growing-body.js";
import { allowed, mebibyte, refused, type Shape } from "./shapes.js";

// Reads small bodies that become large values, each in a separate process with a heap of 512 MB: those beyond the default limits must be
// refused quickly with the right reason, and those within must be read without a crash; so must bodies of every format that grow in one dimension.

const maxMsPerMebibyte = 100;
const heapMb = 512;

/** Retries, because a busy machine may be slow once. */
const mostAttempts = 3;

/** How many growing bodies a process reads. */
const bodiesOfProcess = 16;

/** The sizes of growing bodies: the largest that is decompressed, and its halves, of which the first within the limits becomes the largest value. */
const sizes = [16, 8, 4, 2, 1].map((mebibytes) => mebibytes * mebibyte - 1024);

const [list, name = "", ...more] = process.argv.slice(2);
if (list === undefined) process.exitCode = [runAll(), await runGrowing(sizes.length)].every(Boolean) ? 0 : 1;
else if (list === "largest") process.exitCode = (await runGrowing(1)) ? 0 : 1;
else if (list === "growing") for (const each of more) console.log(lineOf(each, sizes.slice(0, Number(name))));
else console.log(JSON.stringify(tryShape((list === "refused" ? refused : allowed)[name] as Shape)));

interface Harness {
  readonly status: DeserializationOutcome["status"];
  readonly reasons: readonly string[];
  readonly msPerMebibyte: number;
  readonly peakMb: number;
}

function runAll(): boolean {
  const lists = { refused, allowed };
  let isGood = true;
  for (const [list, shapes] of Object.entries(lists)) {
    for (const [name, shape] of Object.entries(shapes)) {
      const fault = faultOf(name, list, shape);
      if (fault !== undefined) {
        console.error(`FAILED ${name}: ${fault}`);
        isGood = false;
      }
    }
  }
  return isGood;
}

/**
 * Bodies of every format that grow in one dimension: none may end a process, whether it is read or refused. To start a process takes longer
 * than to read a body, so each process reads one after the other, and another takes the rest where one has ended.
 */
async function runGrowing(most: number): Promise<boolean> {
  const waiting = [...allBodies.keys()];
  let isGood = true;
  const runNext = async (): Promise<void> => {
    const names = waiting.splice(0, bodiesOfProcess);
    if (names.length === 0) return;
    const { printed, ended } = await readInProcess(most, names);
    for (const line of printed) console.log(line);
    if (ended !== undefined) {
      console.error(`FAILED ${names[printed.length]}: the process ended with ${ended}`);
      isGood = false;
      waiting.unshift(...names.slice(printed.length + 1));
    }
    return runNext();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runNext));
  return isGood;
}

/** A line for each body that was read or refused, and with what the process ended before it had done all. */
async function readInProcess(
  most: number,
  names: readonly string[],
): Promise<{ readonly printed: readonly string[]; readonly ended: string | undefined }> {
  const program = [`--max-old-space-size=${heapMb}`, "--expose-gc", fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, [...program, "growing", `${most}`, ...names], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return {
    printed: output.split("\n").filter((line) => line !== ""),
    ended: code === 0 ? undefined : `${signal ?? code}`,
  };
}

function lineOf(name: string, sizes: readonly number[]): string {
  // What the bodies before it left is no part of what this one takes.
  globalThis.gc?.();
  return `${name}: ${readGrowing(required(allBodies.get(name)), sizes)}`;
}

/** Reads a body of each size until one is within the limits. */
function readGrowing({ contentType, serializer, make }: GrowingBody, sizes: readonly number[]): string {
  const pipeline = createPipeline({ serializer: serializer() });
  let outcomes = "";
  for (const size of sizes) {
    // Quickly: how well it is compressed makes no difference to the reader.
    const body = gzipSync(make(size), { level: 1 });
    const message = { contentType, body, applicationProperties: { "Content-Encoding": "gzip" } };
    const { status, report } = pipeline.deserialize(message) as DeserializationOutcome;
    outcomes += `${Math.round(size / mebibyte)} MiB ${status === "decoded" ? "read" : report.attempts.at(-1)?.reason}, `;
    if (status === "decoded") break;
  }
  return `${outcomes}${Math.round(process.memoryUsage.rss() / mebibyte)} MB`;
}

function faultOf(name: string, list: string, { reason }: Shape): string | undefined {
  const args = [`--max-old-space-size=${heapMb}`, fileURLToPath(import.meta.url), list, name];
  const { status, signal, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) return `the process ended with ${signal ?? status}`;
  const harness = JSON.parse(stdout) as Harness;
  const pace = `${harness.msPerMebibyte.toFixed(1)} ms per MiB, ${Math.round(harness.peakMb)} MB`;
  console.log(`${harness.status}: ${name} (${harness.reasons.join(", ") || "read"}), ${pace}`);
  if (reason === undefined) return harness.status === "decoded" ? undefined : "it was refused";
  if (!harness.reasons.includes(reason)) return `the reason must be ${reason}`;
  return harness.msPerMebibyte <= maxMsPerMebibyte ? undefined : "it took too long";
}

function tryShape(shape: Shape): Harness {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro(shape.schema === undefined ? {} : { schema: shape.schema }), msgpack()],
  });
  const { message, bytes } = messageOf(shape);
  // Small bodies are held to the time that a mebibyte may take.
  const mebibytes = Math.max(1, bytes / mebibyte);
  let msPerMebibyte = Number.POSITIVE_INFINITY;
  let outcome = pipeline.deserialize({ body: new Uint8Array(0) }) as DeserializationOutcome;
  const attempts = shape.reason === undefined ? 1 : mostAttempts;
  for (let attempt = 0; attempt < attempts && msPerMebibyte > maxMsPerMebibyte; attempt++) {
    const start = performance.now();
    const cpu = process.cpuUsage();
    outcome = pipeline.deserialize(message) as DeserializationOutcome;
    const { user, system } = process.cpuUsage(cpu);
    msPerMebibyte = Math.min(
      msPerMebibyte,
      Math.min(performance.now() - start, (user + system) / 1000) / mebibytes,
    );
  }
  const reasons = outcome.report.attempts.map(({ reason }) => reason);
  return { status: outcome.status, reasons, msPerMebibyte, peakMb: process.resourceUsage().maxRSS / 1024 };
}

function messageOf(shape: Shape): { readonly message: EncodedMessage; readonly bytes: number } {
  const { contentType, isUncompressed } = shape;
  const plain = Buffer.concat([headerOf(shape), shape.make()]);
  const message = isUncompressed
    ? { contentType, body: new Uint8Array(plain.buffer, plain.byteOffset, plain.length) }
    : { contentType, body: gzipSync(plain), applicationProperties: { "Content-Encoding": "gzip" } };
  return { message, bytes: plain.length };
}

/** The ten bytes of single-object encoding. */
function headerOf({ schema, sample }: Shape): Uint8Array {
  if (schema === undefined) return new Uint8Array(0);
  const written = createPipeline({ serializer: avro({ schema }) }).serialize({
    body: sample,
  }) as EncodedMessage;
  return (written.body as Uint8Array).subarray(0, 10);
}
