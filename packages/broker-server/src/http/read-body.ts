import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { RequestMemory } from "./http-client.js";
import { HttpRefusal } from "./http-refusal.js";

/** Reads the body of a request into accounted memory. Stops as soon as it is longer than allowed. */
export async function readBody(
  incoming: IncomingMessage,
  memory: RequestMemory,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    memory.hold(part.length);
    parts.push(part);
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, `The body is larger than ${maxBytes} bytes.`);
}
