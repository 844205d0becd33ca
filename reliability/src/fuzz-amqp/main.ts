import type { Connection } from "@waybill/amqp";
import { required } from "@waybill/foundation";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { type Random, randomFrom } from "waybill-harness/random.js";
import { mutate } from "../fuzz/mutate.js";
import { readOutput } from "../fuzz/read-output.js";
import { openEndpoint, recordTraffic } from "../fuzz/recorded-traffic.js";
import { timeOf } from "../fuzz/time-of.js";

// Feeds mutated recorded traffic to AMQP endpoints and stops at the first one that throws, hangs, writes something
// malformed, or grows.

const maxOutputSize = 4_194_304;
const maxDurationMs = 2_000;

const { runs: mutations, seed } = readOptions({ runs: 100_000, seed: newSeed() });
const random = randomFrom(seed);
const recordings = recordTraffic();
const endings = new Map<string, number>();

console.log(`${mutations} mutations of ${recordings.map(({ stream }) => stream.length)} bytes, seed ${seed}`);
for (let i = 0; i < mutations; i++) {
  const { role, stream } = required(recordings[i % recordings.length]);
  const mutant = mutate(stream, random);
  try {
    let ending = "";
    const tookMs = timeOf(() => {
      ending = endure(openEndpoint(role), mutant, random);
    });
    if (tookMs > maxDurationMs) throw new Error(`the endpoint took ${tookMs} ms`);
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
  } catch (error) {
    console.error(`mutation ${i} of the ${role}'s input (${mutant.toString("base64")}):`);
    throw error;
  }
}
for (const [ending, count] of [...endings].sort((a, b) => b[1] - a[1])) console.log(`${count}\t${ending}`);

/** Feeds a stream in random pieces and returns how the connection ended. */
function endure(endpoint: Connection, stream: Uint8Array, pieces: Random): string {
  const output: Uint8Array[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = 1 + pieces(pieces(4) === 0 ? 16 : 4096);
    endpoint.receive(stream.subarray(at, at + size));
    output.push(...endpoint.takeOutput());
    at += size;
  }
  endpoint.tick(0);
  endpoint.tick(1_000_000);
  output.push(...endpoint.takeOutput());
  endpoint.disconnect();
  if (!endpoint.isEnded) throw new Error("the endpoint did not end");
  const written = Buffer.concat(output);
  if (written.length > maxOutputSize) throw new Error(`the endpoint wrote ${written.length} bytes`);
  return readOutput(written);
}
