import { Option } from "commander";
import { parsePort, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** Adds the options to start a broker with. */
export function withStartOptions(command: WaybillCommand): WaybillCommand {
  return command
    .option(
      "-c, --config <file>",
      "namespaces, entities and rules, in the form of the official emulator's Config.json; default: an empty namespace",
    )
    .option(
      "--emulator-defaults",
      "the defaults of properties are those of the official emulator (3 deliveries, a time to live of 1 hour), not of Azure",
    )
    .option(
      "-d, --data <directory>",
      "keep all data there, each namespace in a directory with its name; default: in memory",
    )
    .addOption(
      new Option("-p, --port <number>", "the port; further namespaces use the next ones; 0 picks a free one")
        .argParser(parsePort)
        .default(5672),
    )
    .option(
      "--also-port <number>",
      "one more port for the same, for clients with a fixed port: 5300, 5671, 443; can be repeated",
      repeatable(parsePort),
    )
    .addOption(new Option("--host <address>", "the address to listen on").default("127.0.0.1"))
    .addOption(
      new Option(
        "--tier <tier>",
        "limit it to a tier; default: all features, with the limits of premium",
      ).choices(["basic", "standard", "premium"]),
    )
    .option(
      "--keys <file>",
      "shared access policies, as JSON: name, key, rights and, for one queue or topic, entity",
    )
    .option("--accept-anyone", "accept every client, whatever its credentials; on loopback addresses only")
    .option(
      "--allow-origin <origin>",
      "web pages of this origin may connect by WebSocket, such as http://localhost:8080; can be repeated; default: none",
      repeatable(String),
    )
    .option(
      "--allow-host <name>",
      "one more name by which HTTP and WebSocket clients may address it, such as broker.example; can be repeated",
      repeatable(String),
    )
    .option(
      "--tls",
      "accept TLS, too, with a certificate for localhost that is made once: see `waybill broker certificate`",
    )
    .option("--cert <file>", "a certificate of your own for TLS, PEM")
    .option("--cert-key <file>", "its key, PEM")
    .option(
      "--ready-file <file>",
      "write connection strings and ports there as JSON once clients can connect; removed when it stops",
    )
    .option(
      "--exit-on-disk-failure",
      "end with code 3 when the disk is full or fails; default: continue by itself once it can be written",
    )
    .option("--json", "write JSON, one line for each event")
    .option("--verbose", "also log connections, and what happens to messages, sessions and entities");
}
