import { readFile } from "node:fs/promises";
import { UsageError } from "../errors/usage-error.js";
import { createCertificate, defaultDirectory, readCertificate } from "./certificate-store.js";

/** The certificate of `--cert`, or with `--tls` our own, made on first use, with its file for clients to trust; undefined without TLS. */
export async function resolveTls({
  tls = false,
  cert,
  certKey,
}: {
  readonly tls?: boolean;
  readonly cert?: string;
  readonly certKey?: string;
}) {
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
