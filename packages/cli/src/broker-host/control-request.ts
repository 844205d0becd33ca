import { createHmac } from "node:crypto";
import { findManagement } from "../connection/management-address.js";
import { UsageError } from "../errors/usage-error.js";

/** How long the token of one request is valid, in seconds. */
const tokenSeconds = 60;

/** Sends a command such as `purge` to the running broker of SERVICEBUS_CONNECTION_STRING. Throws `UsageError`. */
export async function controlRequest(
  verb: string,
  entity: string | undefined,
  port: number | undefined,
): Promise<unknown> {
  const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
  const { name, key } = parseConnectionString(connectionString);
  const { origin } = await findManagement(connectionString, port);
  const path = ["$waybill", verb, ...(entity?.split("/") ?? [])].map(encodeURIComponent).join("/");
  const url = `${origin}/${path}`;
  const response = await request(url, tokenFor(url, name, key));
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : (JSON.parse(text) as unknown);
  const detail = /<Detail>([^<]*)<\/Detail>/.exec(text)?.[1];
  const isOurs = detail !== undefined && !/no service is hosted/i.test(detail);
  throw new UsageError(
    isOurs
      ? `The broker refused the request (${response.status}): ${detail}`
      : `No waybill broker answers (${response.status}). Azure does not offer this.`,
  );
}

async function request(url: string, authorization: string): Promise<Response> {
  try {
    return await fetch(url, { method: "POST", headers: { authorization } });
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly message?: string } };
    throw new UsageError(
      `The broker at ${new URL(url).host} cannot be reached: ${cause?.message ?? "no answer"}.`,
    );
  }
}

function parseConnectionString(text: string): { readonly name: string; readonly key: string } {
  const part = (wanted: string) =>
    new RegExp(`(?:^|;)\\s*${wanted}\\s*=([^;]*)`, "i").exec(text)?.[1]?.trim();
  const [name, key] = [part("SharedAccessKeyName"), part("SharedAccessKey")];
  if (name && key) return { name, key };
  throw new UsageError(
    "Set SERVICEBUS_CONNECTION_STRING to the connection string that `waybill broker` printed, or name a data directory with --data.",
  );
}

function tokenFor(url: string, name: string, key: string): string {
  const resource = encodeURIComponent(url.toLowerCase());
  const expiry = Math.floor(Date.now() / 1000) + tokenSeconds;
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${encodeURIComponent(name)}`;
}
