import { WaybillError } from "@waybill/core";
import { fromXmlText } from "@waybill/foundation";
import { findManagement } from "../connection/management-address.js";
import { policyOf, sasToken } from "../connection/sas-token.js";
import { refusalOf } from "../errors/key-refusal.js";
import { managementError } from "../errors/management-error.js";

/** How long the token of one request is valid, in seconds. */
const tokenSeconds = 60;
const noBroker =
  "Set SERVICEBUS_CONNECTION_STRING to the connection string that `waybill broker` printed, or name a data directory with --data.";

/** Sends a command such as `purge` to the running broker of SERVICEBUS_CONNECTION_STRING. Throws `UsageError` without a connection string, and `WaybillError` for a broker out of reach or a key that it refuses. */
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
  const detail = fromXmlText(/<Detail>([^<]*)<\/Detail>/.exec(text)?.[1] ?? "");
  if (response.status === 401)
    throw new WaybillError("unauthorized", `The broker refused the request: ${refusalOf(text)}`);
  if (detail === "" || /no service is hosted/i.test(detail))
    throw new WaybillError(
      "operation-invalid",
      `No waybill broker answers at ${origin} (${response.status}): \`waybill broker ${verb}\` works with a local broker of waybill only.`,
      { cause: { statusCode: response.status } },
    );
  throw managementError({ statusCode: response.status, message: detail }, entity);
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
