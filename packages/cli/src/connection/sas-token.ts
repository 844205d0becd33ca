import { createHmac } from "node:crypto";
import { UsageError } from "../errors/usage-error.js";

/** The key of a shared access policy. */
export interface PolicyKey {
  readonly name: string;
  readonly key: string;
}

/** The policy of a connection string. Throws `UsageError` with this text if it has none. */
export function policyOf(connectionString: string, text: string): PolicyKey {
  const part = (wanted: string) =>
    new RegExp(`(?:^|;)\\s*${wanted}\\s*=([^;]*)`, "i").exec(connectionString)?.[1]?.trim();
  const [name, key] = [part("SharedAccessKeyName"), part("SharedAccessKey")];
  if (name && key) return { name, key };
  throw new UsageError(text);
}

/** A token that gives the rights of a policy on a URL and what lies below it. Source: Service Bus access control with Shared Access Signatures. */
export function sasToken(url: string, { name, key }: PolicyKey, seconds: number): string {
  const resource = encodeURIComponent(url.toLowerCase());
  const expiry = Math.floor(Date.now() / 1000) + seconds;
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${encodeURIComponent(name)}`;
}
