import { Command } from "commander";
import {
  createCertificate,
  defaultDirectory,
  LOCAL_HOSTS,
  readCertificate,
  removeCertificate,
} from "../../certificate/certificate-store.js";
import { howToTrust } from "../../certificate/how-to-trust.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { exiting } from "../common-options.js";

interface CertificateOptions {
  readonly directory?: string;
  readonly hostName?: readonly string[];
}

/** `waybill broker certificate`: the certificate of `--tls`, and how to trust it. */
export function certificateCommand(): Command {
  return new Command("certificate")
    .summary("make, explain or remove the certificate of --tls")
    .description(
      `Makes a certificate for ${LOCAL_HOSTS.join(", ")} and an authority that signs it, explains how clients trust that, or removes both.`,
    )
    .addCommand(
      withDirectory(new Command("create"))
        .summary("make a new one, instead of the one that is there")
        .option("--host-name <name>", "one more host, such as that of a container; can be repeated", addName)
        .action(exiting(create)),
    )
    .addCommand(
      withDirectory(new Command("show"))
        .summary("tell where it is, and how to trust it")
        .action(exiting(show)),
    )
    .addCommand(withDirectory(new Command("remove")).summary("remove it").action(exiting(remove)));
}

function withDirectory(command: Command): Command {
  return command.option("--directory <path>", "where it is kept; default: ~/.waybill/tls");
}

function addName(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, name];
}

async function create({ directory = defaultDirectory(), hostName }: CertificateOptions): Promise<ExitCode> {
  const { caFile } = await createCertificate(directory, hostName);
  process.stdout.write(`${howToTrust(caFile)}\n`);
  return exitCodes.ok;
}

async function show({ directory = defaultDirectory() }: CertificateOptions): Promise<ExitCode> {
  const found = await readCertificate(directory);
  if (found === undefined) {
    process.stdout.write(`There is no certificate in ${directory}, or it has expired.\n`);
    return exitCodes.found;
  }
  process.stdout.write(`${howToTrust(found.caFile)}\nIt is valid until ${found.expiresAt.toISOString()}.\n`);
  return exitCodes.ok;
}

async function remove({ directory = defaultDirectory() }: CertificateOptions): Promise<ExitCode> {
  await removeCertificate(directory);
  process.stdout.write(
    "Removed. What clients were set to trust, they trust no more once its file is gone.\n",
  );
  return exitCodes.ok;
}
