import { readFile } from "node:fs/promises";
import { UsageError } from "../usage-error.js";

/** More than the service takes in one message. */
const maxBytes = 100 * 1024 * 1024;

/** The bytes of a file, or of the standard input when the file is `-` or left out. */
export async function readInput(file: string | undefined): Promise<Uint8Array> {
  const bytes = file === undefined || file === "-" ? await readStandardInput() : await readFile(file);
  return Uint8Array.from(bytes);
}

async function readStandardInput(): Promise<Buffer> {
  if (process.stdin.isTTY) throw new UsageError("Name a file, or pipe the body into the standard input.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new UsageError(`The standard input has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
