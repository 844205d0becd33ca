import { X509Certificate } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { MadeCertificate } from "./make-certificate.js";

/** A certificate that is kept, and where its authority stands for clients to trust. */
export interface StoredCertificate extends MadeCertificate {
  readonly caFile: string;
  readonly expiresAt: Date;
}

/** What a certificate is for unless somebody names more hosts. */
export const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "::1"];
const FILES = { ca: "ca.pem", cert: "server.pem", key: "server-key.pem" } as const;

/** Where the certificate is kept unless somebody says otherwise. */
export function defaultDirectory(): string {
  return join(homedir(), ".waybill", "tls");
}

/** Reads the certificate that is kept in a directory; undefined when there is none, or when it has expired. */
export async function readCertificate(directory: string): Promise<StoredCertificate | undefined> {
  try {
    const [ca, cert, key] = await Promise.all(
      [FILES.ca, FILES.cert, FILES.key].map((name) => readFile(join(directory, name), "utf8")),
    );
    if (ca === undefined || cert === undefined || key === undefined) return undefined;
    const expiresAt = new Date(new X509Certificate(cert).validTo);
    if (expiresAt.getTime() <= Date.now()) return undefined;
    return { ca, cert, key, caFile: join(directory, FILES.ca), expiresAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Makes a certificate for the local hosts and some more, and keeps it in a directory; only the user can read the key. */
export async function createCertificate(
  directory: string,
  hosts: readonly string[] = [],
): Promise<StoredCertificate> {
  // Loads slowly, and only here.
  const { makeCertificate } = await import("./make-certificate.js");
  const made = await makeCertificate([...new Set([...LOCAL_HOSTS, ...hosts])]);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await removeCertificate(directory, false);
  for (const name of ["ca", "cert", "key"] as const)
    await writeFile(join(directory, FILES[name]), made[name], { mode: name === "key" ? 0o600 : 0o644 });
  const expiresAt = new Date(new X509Certificate(made.cert).validTo);
  return { ...made, caFile: join(directory, FILES.ca), expiresAt };
}

/** Removes what was kept there, and the directory if nothing else is in it. */
export async function removeCertificate(directory: string, withDirectory = true): Promise<void> {
  for (const name of Object.values(FILES)) await rm(join(directory, name), { force: true });
  if (withDirectory) await rmdir(directory).catch(() => {});
}
