import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServeOptions, SharedAccessKey } from "@waybill/broker-server";
import { UsageError } from "../errors/usage-error.js";

/** The variable that holds the key of the root policy. Not an option: other users can see command lines. */
const keyVariable = "WAYBILL_BROKER_KEY";
/** The variable that names a file with that key, such as a secret that a container mounts. */
const keyFileVariable = "WAYBILL_BROKER_KEY_FILE";
/** Where a generated key is kept in a data directory. */
const keptKeyFile = "broker-key";
const keyBytes = 32;
/** The key in the connection strings of the official emulator. */
const wellKnownKey = "SAS_KEY_VALUE";
const root = "RootManageSharedAccessKey";
const loopbackForm = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** The keys of the broker, and whether the key in the connection string was generated or is well known, so that it may be printed. */
export interface BrokerKeys {
  readonly options: Pick<ServeOptions, "keys" | "acceptAnyone">;
  readonly mayShow: boolean;
}

/**
 * The keys of a file, else that of the environment, else the emulator's well-known key on a loopback address, and a generated one elsewhere, which
 * is kept in the data directory. Throws `UsageError`.
 */
export async function resolveBrokerKeys({
  host,
  acceptAnyone,
  keys,
  data,
}: {
  readonly host: string;
  readonly data?: string;
  readonly acceptAnyone?: boolean;
  readonly keys?: string;
}): Promise<BrokerKeys> {
  if (acceptAnyone === true) return { options: { acceptAnyone }, mayShow: true };
  if (keys !== undefined) return { options: { keys: await readKeys(keys) }, mayShow: false };
  const given = await givenKey();
  if (given !== undefined) return { options: withRoot(given), mayShow: given === wellKnownKey };
  if (isLoopback(host)) return { options: withRoot(wellKnownKey), mayShow: true };
  // The server generates one for as long as it runs.
  return { options: data === undefined ? {} : withRoot(await keptKey(data)), mayShow: true };
}

function withRoot(key: string): Pick<ServeOptions, "keys"> {
  return { keys: [{ name: root, key, rights: ["Manage"] }] };
}

async function givenKey(): Promise<string | undefined> {
  const key = process.env[keyVariable]?.trim();
  const file = process.env[keyFileVariable]?.trim();
  if (key && file) throw new UsageError(`Set ${keyVariable} or ${keyFileVariable}, not both.`);
  if (!file) return key || undefined;
  const text = (await readFile(file, "utf8")).trim();
  if (text === "") throw new UsageError(`${keyFileVariable} names ${file}, which is empty.`);
  return text;
}

/** Clients keep their connection string when the broker starts again. */
async function keptKey(data: string): Promise<string> {
  const file = join(data, keptKeyFile);
  await mkdir(data, { recursive: true });
  try {
    await writeFile(file, `${randomBytes(keyBytes).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return (await readFile(file, "utf8")).trim();
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return loopbackForm.test(host);
}

async function readKeys(file: string): Promise<SharedAccessKey[]> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as SharedAccessKey[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${file} must be JSON: [{"name":…,"key":…,"rights":["Send"],"entity":"orders"}].`);
  }
}
