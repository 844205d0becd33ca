import { Command } from "commander";
import { LOCAL_HOSTS } from "../../certificate/certificate-store.js";
import { repeatable } from "../common-options.js";
import { exiting } from "../exiting.js";

/** `waybill broker certificate`: the certificate of `--tls`, and how to trust it. */
export function certificateCommand(): Command {
  return new Command("certificate")
    .summary("make, explain or remove the certificate of --tls")
    .description(
      `Makes a certificate for ${LOCAL_HOSTS.join(", ")} and an authority that signs it, explains how clients trust that, or removes both.`,
    )
    .addCommand(
      withDirectory(new Command("create"))
        .summary("make a new one that replaces the current one")
        .option(
          "--host-name <name>",
          "one more host, such as that of a container; can be repeated",
          repeatable(String),
        )
        .action(exiting(async () => (await load()).create)),
    )
    .addCommand(
      withDirectory(new Command("show"))
        .summary("show where it is, and how to trust it")
        .action(exiting(async () => (await load()).show)),
    )
    .addCommand(
      withDirectory(new Command("remove"))
        .summary("remove it")
        .action(exiting(async () => (await load()).remove)),
    );
}

const load = () => import("../../actions/broker/certificate.js");

function withDirectory(command: Command): Command {
  return command.option("--directory <path>", "where it is kept; default: ~/.waybill/tls");
}
