import {
  createCertificate,
  defaultDirectory,
  readCertificate,
  removeCertificate,
} from "../../certificate/certificate-store.js";
import { howToTrust } from "../../certificate/how-to-trust.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";

/** Where a certificate is kept, and whom it is for. */
export interface CertificateOptions {
  readonly directory?: string;
  readonly hostName?: readonly string[];
}

export async function create({
  directory = defaultDirectory(),
  hostName,
}: CertificateOptions): Promise<ExitCode> {
  const { caFile } = await createCertificate(directory, hostName);
  process.stdout.write(`${howToTrust(caFile)}\n`);
  return exitCodes.ok;
}

export async function show({ directory = defaultDirectory() }: CertificateOptions): Promise<ExitCode> {
  const found = await readCertificate(directory);
  if (found === undefined) {
    process.stdout.write(`There is no certificate in ${directory}, or it has expired.\n`);
    return exitCodes.found;
  }
  process.stdout.write(`${howToTrust(found.caFile)}\nIt is valid until ${found.expiresAt.toISOString()}.\n`);
  return exitCodes.ok;
}

export async function remove({ directory = defaultDirectory() }: CertificateOptions): Promise<ExitCode> {
  const isThere = (await readCertificate(directory)) !== undefined;
  await removeCertificate(directory);
  process.stdout.write(
    isThere
      ? "Removed. Clients that were set to trust its file no longer do.\n"
      : `There was no certificate in ${directory}, or it had expired.\n`,
  );
  return exitCodes.ok;
}
