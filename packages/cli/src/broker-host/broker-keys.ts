import { readFile } from "node:fs/promises";
import type { ServeOptions, SharedAccessKey } from "@waybill/broker-server";
import { UsageError } from "../errors/usage-error.js";

/** The variable that holds the key of the root policy. Not an option: other users can see command lines. */
const keyVariable = "WAYBILL_BROKER_KEY";
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
 * The keys of a file, else that of the environment, else the emulator's well-known key on a loopback address, and a generated one elsewhere. Throws
 * `UsageError`.
 */
export async function resolveBrokerKeys({
  host,
  acceptAnyone,
  keys,
}: {
  readonly host: string;
  readonly acceptAnyone?: boolean;
  readonly keys?: string;
}): Promise<BrokerKeys> {
  if (acceptAnyone === true) return { options: { acceptAnyone }, mayShow: true };
  if (keys !== undefined) return { options: { keys: await readKeys(keys) }, mayShow: false };
  const given = process.env[keyVariable]?.trim();
  const key = given || (isLoopback(host) ? wellKnownKey : undefined);
  if (key === undefined) return { options: {}, mayShow: true };
  return { options: { keys: [{ name: root, key, rights: ["Manage"] }] }, mayShow: key === wellKnownKey };
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
