import { WaybillError } from "@waybill/core";
import { findManagement } from "../connection/management-address.js";
import { refusalOf } from "../connection/management-error.js";
import { policyOf, sasToken } from "../connection/sas-token.js";
import { UsageError } from "../errors/usage-error.js";

/** How long the token of one request is valid, in seconds. */
const tokenSeconds = 60;
const noBroker =
  "Set SERVICEBUS_CONNECTION_STRING to the connection string that `waybill broker` printed, or name a data directory with --data.";

/** Sends a command such as `purge` to the running broker of SERVICEBUS_CONNECTION_STRING. Throws `UsageError`, and `WaybillError` for a broker out of reach or a key that it refuses. */
export async function controlRequest(
  verb: string,
  entity: string | undefined,
  port: number | undefined,
): Promise<unknown> {
  const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
  const policy = policyOf(connectionString, noBroker);
  const { origin } = await findManagement(connectionString, port);
  const path = ["$waybill", verb, ...(entity?.split("/") ?? [])].map(encodeURIComponent).join("/");
  const url = `${origin}/${path}`;
  const response = await request(url, sasToken(url, policy, tokenSeconds));
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : (JSON.parse(text) as unknown);
  const detail = /<Detail>([^<]*)<\/Detail>/.exec(text)?.[1];
  if (response.status === 401)
    throw new WaybillError("unauthorized", `The broker refused the request: ${refusalOf(text)}`);
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
    throw new WaybillError(
      "connection-lost",
      `The broker at ${new URL(url).host} cannot be reached: ${cause?.message ?? "no answer"}.`,
    );
  }
}
