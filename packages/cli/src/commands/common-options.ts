import { InvalidArgumentError, Option } from "commander";
import { parseConnection } from "../input/parse-connection.js";
import { parseDuration } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { addProperty } from "../input/parse-property.js";
import { WaybillCommand } from "./waybill-command.js";

/** Parses an option that can be repeated: its values in a list. */
export function repeatable<Value>(parse: (text: string) => Value) {
  return (text: string, values: readonly Value[] = []): readonly Value[] => [...values, parse(text)];
}

/** A command with the options of all commands. */
export function chainCommand(name: string): WaybillCommand {
  return new WaybillCommand(name)
    .option(
      "-c, --config <file>",
      "the chain and the message types; default: waybill.config.ts, .mts, .js or .mjs here, else JSON and MessagePack",
    )
    .option("--json", "write JSON, as on a pipe")
    .addOption(new Option("--no-json", "write tables, as on a terminal").default(undefined));
}

/** Adds the option for where the management API is. */
export function withManagementPort(command: WaybillCommand): WaybillCommand {
  return command.option(
    "--management-port <number>",
    "the port of the management API; default: the port of the connection string or, for a local broker or emulator, 5300 if nothing answers there",
    parsePort,
  );
}

/** Parses a port. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a port: an integer from 0 to 65535.`);
}

/** A command that works with a broker. */
export function brokerCommand(name: string): WaybillCommand {
  return withManagementPort(chainCommand(name))
    .option(
      "-d, --data <directory>",
      "the data directory of a local broker; default: the namespace of SERVICEBUS_CONNECTION_STRING",
    )
    .option(
      "--namespace <name>",
      "a namespace to sign in to with Microsoft Entra ID, as shop or shop.servicebus.windows.net; needs @azure/identity",
    );
}

/** Adds the option for several namespaces. */
export function withConnections(command: WaybillCommand): WaybillCommand {
  return command.option(
    "--connection <name=variable>",
    "one of several namespaces, by the environment variable that holds its connection string, or by its host to sign in with Microsoft Entra ID; can be repeated; the name stands before its entities, as in billing:invoices",
    repeatable(parseConnection),
  );
}

/** Adds the option for how long the list of all entities may take. */
export function withListTimeout(command: WaybillCommand): WaybillCommand {
  return command.addOption(
    new Option("--list-timeout <duration>", "how long listing the entities of a namespace may take")
      .argParser(parseDuration)
      .default(60_000, "60s"),
  );
}

/** Adds the options that name the entities to peek, or list them. */
export function withEntities(command: WaybillCommand): WaybillCommand {
  return withListTimeout(command).option(
    "-e, --entity <path>",
    "a queue, or topic/Subscriptions/name; can be repeated; default: every entity, which needs the Manage claim on Azure",
    repeatable(String),
  );
}

/** Adds the options of work that is shared with the workers of a queue. */
export function withSharing(command: WaybillCommand): WaybillCommand {
  return command
    .option(
      "--work-queue <queue>",
      "share the work with every `waybill worker` of this queue, which needs sessions",
    )
    .option(
      "--job <name>",
      "the name under which an interrupted job is continued; default: census, or repair",
    )
    .option("--replace-job", "give up an interrupted job of this name, and begin again")
    .addOption(concurrencyOption());
}

/** The option for how many entities a process works on. */
export function concurrencyOption(): Option {
  return new Option(
    "--concurrency <number>",
    "how many entities this process works on at the same time; default: 1",
  ).argParser(parseCount);
}

/** Adds the options for the properties of the message that a body belongs to. */
export function withLabels(command: WaybillCommand): WaybillCommand {
  return command
    .option("--content-type <type>", "the content type of the message")
    .option("--subject <text>", "the subject: the message type, unless your resolver reads it elsewhere")
    .option(
      "-p, --property <name=value>",
      "an application property; name:=7 is a number; can be repeated",
      addProperty,
    );
}
