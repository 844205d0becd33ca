import { createReadStream } from "node:fs";
import { UsageError } from "../errors/usage-error.js";

/** Maximum size of a message in the Premium tier. */
const maxBytes = 100 * 1024 * 1024;

/** The bytes of a file, or of the standard input when the file is `-` or left out. */
export async function readInput(file: string | undefined): Promise<Uint8Array> {
  if (file !== undefined && file !== "-") return await readAll(createReadStream(file), file);
  if (process.stdin.isTTY) throw new UsageError("Name a file, or pipe the body into the standard input.");
  return await readAll(process.stdin, "The standard input");
}

/** Limited, because devices and pipes may be endless. */
async function readAll(stream: AsyncIterable<Buffer>, name: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw new UsageError(`${name} has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
