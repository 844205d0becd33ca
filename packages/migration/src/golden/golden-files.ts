import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ApplicationProperties, WaybillError } from "@waybill/core";
import type { GoldenExpectation, GoldenMessage } from "./golden-message.js";
import { fromPortableValue, type PortableValue, toPortableValue } from "./portable-value.js";

/** The content of a file. The body is text if it is UTF-8, so that people can read it. */
interface GoldenFile {
  readonly waybillGolden: 1;
  readonly isRedacted: boolean;
  readonly message: {
    readonly contentType?: string | undefined;
    readonly contentEncoding?: string | undefined;
    readonly subject?: string | undefined;
    readonly applicationProperties?: Readonly<Record<string, PortableValue>> | undefined;
    readonly body: { readonly utf8: string } | { readonly base64: string };
  };
  readonly expected: GoldenExpectation;
}

const extension = ".golden.json";

/**
 * Writes golden messages into a directory, one file each, and returns the names of those it wrote. Never overwrites a file: it holds what was
 * expected earlier. Creates the directory.
 */
export async function writeGoldenMessages(
  directory: string,
  messages: readonly GoldenMessage[],
): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const written: string[] = [];
  for (const golden of messages) {
    try {
      await writeFile(join(directory, golden.name + extension), formatGoldenMessage(golden), { flag: "wx" });
      written.push(golden.name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  return written;
}

/** Reads the golden messages of a directory, sorted by name. Rejects with `configuration-invalid` when it has none, or a file that is not one. */
export async function readGoldenMessages(directory: string): Promise<GoldenMessage[]> {
  const names = await goldenNames(directory);
  if (names.length === 0) throw invalid(`${directory} holds no golden messages (*${extension}).`);
  return await Promise.all(
    names.map(async (name) => fromFile(name, await readFile(join(directory, name + extension), "utf8"))),
  );
}

/** The text of a golden message's file. */
export function formatGoldenMessage(golden: GoldenMessage): string {
  return `${JSON.stringify(toFile(golden), undefined, 2)}\n`;
}

async function goldenNames(directory: string): Promise<string[]> {
  let files: string[];
  try {
    files = await readdir(directory);
  } catch {
    throw invalid(`there is no directory ${directory}.`);
  }
  return files
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .sort();
}

function toFile({ message, isRedacted, expected }: GoldenMessage): GoldenFile {
  const { contentType, contentEncoding, subject, applicationProperties = {}, body } = message;
  const properties = Object.entries(applicationProperties).map(([name, value]) => [
    name,
    toPortableValue(value),
  ]);
  return {
    waybillGolden: 1,
    isRedacted,
    message: {
      contentType,
      contentEncoding,
      subject,
      applicationProperties: properties.length === 0 ? undefined : Object.fromEntries(properties),
      body: toBody(body),
    },
    expected,
  };
}

function toBody(bytes: Uint8Array): GoldenFile["message"]["body"] {
  try {
    return { utf8: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
}

function fromFile(name: string, text: string): GoldenMessage {
  const file = parsed(name, text);
  const { contentType, contentEncoding, subject, applicationProperties = {}, body } = file.message;
  const bytes = "utf8" in body ? Buffer.from(body.utf8) : Buffer.from(body.base64, "base64");
  const properties = Object.entries(applicationProperties).map(([key, value]) => [
    key,
    fromPortableValue(value),
  ]);
  return {
    name,
    isRedacted: file.isRedacted,
    message: {
      contentType,
      contentEncoding,
      subject,
      applicationProperties: Object.fromEntries(properties) as ApplicationProperties,
      body: Uint8Array.from(bytes),
    },
    expected: file.expected,
  };
}

function parsed(name: string, text: string): GoldenFile {
  try {
    const file = JSON.parse(text) as Partial<GoldenFile> | null;
    const { message, expected } = file ?? {};
    const isGolden =
      file?.waybillGolden === 1 &&
      (typeof (message?.body as { utf8?: unknown })?.utf8 === "string" ||
        typeof (message?.body as { base64?: unknown })?.base64 === "string") &&
      typeof expected?.serializer === "string" &&
      Array.isArray(expected.acceptedBy) &&
      expected.value !== undefined;
    if (isGolden) return file as GoldenFile;
  } catch {
    // Reported below, like everything else that is not a golden message.
  }
  throw invalid(`${name}${extension} is not a golden message.`);
}

function invalid(text: string): WaybillError {
  return new WaybillError("configuration-invalid", text);
}
