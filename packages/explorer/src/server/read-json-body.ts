import type { IncomingMessage } from "node:http";
import { RequestError } from "../wire/request-error.js";

/** Reads a JSON body of at most `maxBytes`. Rejects with `RequestError`. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw new RequestError(415, "The body must be application/json.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new RequestError(413, `The body must have at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RequestError(400, "The body must be JSON.");
  }
}
