import { type Command, InvalidArgumentError, Option } from "commander";

/** Adds what a broker is started with. */
export function withStartOptions(command: Command): Command {
  return command
    .option(
      "-c, --config <file>",
      "namespaces, entities and rules, as the official emulator's Config.json has them; default: an empty namespace",
    )
    .option(
      "--emulator-defaults",
      "what the file leaves out is as in the official emulator (3 deliveries, lives of 1 hour), not as in Azure",
    )
    .option("-d, --data <directory>", "keep everything there; default: in memory")
    .addOption(
      new Option(
        "-p, --port <number>",
        "the port; further namespaces have the ones after it; 0 takes a free one",
      )
        .argParser(parsePort)
        .default(5672),
    )
    .option(
      "--also-port <number>",
      "one more port that takes the same, for clients that insist: 5300, 5671, 443; can be repeated",
      (text: string, ports: readonly number[] = []) => [...ports, parsePort(text)],
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
    .option("--accept-anyone", "take every client, whatever it shows; on loopback addresses only")
    .option(
      "--tls",
      "take TLS, too, with a certificate for localhost that is made once: see `waybill broker certificate`",
    )
    .option("--cert <file>", "a certificate of your own for TLS, PEM")
    .option("--cert-key <file>", "its key, PEM")
    .option("--json", "write JSON, one line for each event");
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError(`"${text}" is no port: an integer from 0 to 65535.`);
}
