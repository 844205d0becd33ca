import { findManagement } from "../connection/management-address.js";
import { policyOf, sasToken } from "../connection/sas-token.js";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";

/** For what the token is, and for how long. */
export interface TokenOptions {
  readonly expiresIn: number;
  readonly url?: boolean;
  readonly managementPort?: number;
}

const noKey =
  "Set SERVICEBUS_CONNECTION_STRING to the connection string of a namespace: Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…";

/** `waybill token`. */
export async function token(entity: string | undefined, options: TokenOptions): Promise<ExitCode> {
  const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
  const policy = policyOf(connectionString, noKey);
  const { origin } = await findManagement(connectionString, options.managementPort);
  const url = `${origin}/${(entity ?? "").split("/").map(encodeURIComponent).join("/")}`;
  if (options.url === true) process.stdout.write(`${url}\n`);
  process.stdout.write(`${sasToken(url, policy, Math.ceil(options.expiresIn / 1_000))}\n`);
  return exitCodes.ok;
}
