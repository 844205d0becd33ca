import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readInput } from "./read-input.js";

/** The body of a message to send. */
export interface InputBody {
  /** Where it stands, for errors: `orders.ndjson:17`. */
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** Whether the input holds the bodies of several messages: it is read by lines, or a folder. */
export async function holdsMany(file: string | undefined, byLines: boolean): Promise<boolean> {
  return byLines || (file !== undefined && file !== "-" && (await stat(file)).isDirectory());
}

/** The bodies of a file by lines, of which empty ones are left out, or of all files of a folder in the order of their names. */
export async function* readBodies(
  file: string | undefined,
  { byLines, skip = 0 }: { readonly byLines: boolean; readonly skip?: number | undefined },
): AsyncGenerator<InputBody> {
  let left = skip;
  for await (const body of byLines ? linesOf(file) : filesOf(file ?? ".")) {
    if (left > 0) left--;
    else yield body;
  }
}

async function* linesOf(file: string | undefined): AsyncGenerator<InputBody> {
  const isFile = file !== undefined && file !== "-";
  const input = isFile ? createReadStream(file) : process.stdin;
  const name = isFile ? `${file}:` : "line ";
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() !== "") yield { place: `${name}${number}`, bytes: Buffer.from(line) };
  }
}

async function* filesOf(folder: string): AsyncGenerator<InputBody> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (const name of names.toSorted()) {
    const place = join(folder, name);
    yield { place, bytes: await readInput(place) };
  }
}
