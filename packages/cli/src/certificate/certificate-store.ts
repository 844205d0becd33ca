import { X509Certificate } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { MadeCertificate } from "./make-certificate.js";

/** A stored certificate, and the file of its authority for clients to trust. */
export interface StoredCertificate extends MadeCertificate {
  readonly caFile: string;
  readonly expiresAt: Date;
}

/** The hosts of every certificate; more can be added. */
export const localHosts: readonly string[] = ["localhost", "127.0.0.1", "::1"];
const files = { ca: "ca.pem", cert: "server.pem", key: "server-key.pem" } as const;

/** The default directory of the certificate. */
export function defaultDirectory(): string {
  return join(homedir(), ".waybill", "tls");
}

/** Reads the certificate of a directory; undefined if there is none, or if it has expired. */
export async function readCertificate(directory: string): Promise<StoredCertificate | undefined> {
  try {
    const read = (name: string) => readFile(join(directory, name), "utf8");
    const [ca, cert, key] = await Promise.all([read(files.ca), read(files.cert), read(files.key)]);
    const expiresAt = new Date(new X509Certificate(cert).validTo);
    if (expiresAt.getTime() <= Date.now()) return undefined;
    return { ca, cert, key, caFile: join(directory, files.ca), expiresAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes a certificate for the local hosts and further ones, and stores it in a directory; only the user can read the key. */
export async function createCertificate(
  directory: string,
  hosts: readonly string[] = [],
): Promise<StoredCertificate> {
  // Imported here, because it loads slowly.
  const { makeCertificate } = await import("./make-certificate.js");
  const made = await makeCertificate([...new Set([...localHosts, ...hosts])]);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeCertificate(directory, false);
  for (const name of ["ca", "cert", "key"] as const)
    await writeFile(join(directory, files[name]), made[name], { mode: name === "key" ? 0o600 : 0o644 });
  const expiresAt = new Date(new X509Certificate(made.cert).validTo);
  return { ...made, caFile: join(directory, files.ca), expiresAt };
}

/** Removes the certificate's files, and the directory if it is empty then. */
export async function removeCertificate(directory: string, withDirectory = true): Promise<void> {
  for (const name of Object.values(files)) await rm(join(directory, name), { force: true });
  if (withDirectory) await rmdir(directory).catch(() => {});
}
