import { localHosts } from "../../certificate/certificate-store.js";
import { repeatable } from "../common-options.js";
import { WaybillCommand } from "../waybill-command.js";

/** `waybill broker certificate`: the certificate of `--tls`, and how to trust it. */
export function certificateCommand(): WaybillCommand {
  return new WaybillCommand("certificate")
    .summary("make, explain or remove the certificate of --tls")
    .description(
      `Makes a certificate for ${localHosts.join(", ")} and an authority that signs it, explains how clients trust that, or removes both.`,
    )
    .addCommand(
      withDirectory(new WaybillCommand("create"))
        .summary("make a new one that replaces the current one")
        .option(
          "--host-name <name>",
          "one more host, such as that of a container; can be repeated",
          repeatable(String),
        )
        .runs(async () => (await load()).create),
    )
    .addCommand(
      withDirectory(new WaybillCommand("show"))
        .summary("show where it is, and how to trust it")
        .runs(async () => (await load()).show),
    )
    .addCommand(
      withDirectory(new WaybillCommand("remove"))
        .summary("remove it")
        .runs(async () => (await load()).remove),
    );
}

const load = () => import("../../actions/broker/certificate.js");

function withDirectory(command: WaybillCommand): WaybillCommand {
  return command.option("--directory <path>", "where it is kept; default: ~/.waybill/tls");
}
