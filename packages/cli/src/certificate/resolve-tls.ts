import { readFile } from "node:fs/promises";
import type { TlsOptions } from "@waybill/broker-server";
import { UsageError } from "../errors/usage-error.js";
import { createCertificate, defaultDirectory, readCertificate } from "./certificate-store.js";

/** The certificate to serve TLS with; `caFile` is what clients must trust if we made it. */
export interface ResolvedTls {
  readonly options: TlsOptions;
  readonly caFile: string | undefined;
}

/** The certificate of `--cert`, or with `--tls` our own, made on first use; undefined without TLS. */
export async function resolveTls({
  tls = false,
  cert,
  certKey,
}: {
  readonly tls?: boolean;
  readonly cert?: string;
  readonly certKey?: string;
}): Promise<ResolvedTls | undefined> {
  if (cert !== undefined && certKey !== undefined) {
    return { options: { cert: await readFile(cert), key: await readFile(certKey) }, caFile: undefined };
  }
  if (cert !== undefined || certKey !== undefined)
    throw new UsageError("Give --cert and --cert-key together.");
  if (!tls) return undefined;
  const directory = defaultDirectory();
  const made = (await readCertificate(directory)) ?? (await createCertificate(directory));
  return { options: { cert: made.cert, key: made.key }, caFile: made.caFile };
}
