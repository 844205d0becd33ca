import { Option } from "commander";
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

/** A command that works with a broker. */
export function brokerCommand(name: string): WaybillCommand {
  return chainCommand(name)
    .option(
      "-d, --data <directory>",
      "the data directory of a local broker; default: the namespace of SERVICEBUS_CONNECTION_STRING",
    )
    .option(
      "--namespace <name>",
      "a namespace to sign in to with Microsoft Entra ID, as shop or shop.servicebus.windows.net; needs @azure/identity",
    );
}

/** Adds the option that names the entities to peek. */
export function withEntities(command: WaybillCommand): WaybillCommand {
  return command.option(
    "-e, --entity <path>",
    "a queue, or topic/Subscriptions/name; can be repeated; default: every entity, which needs the Manage claim on Azure",
    repeatable(String),
  );
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
