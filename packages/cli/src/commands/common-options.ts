import type { EntityName } from "@waybill/core/transport";
import { Command, Option } from "commander";
import { parseEntityName } from "../input/parse-entity.js";
import { addProperty } from "../input/parse-property.js";

/** A command with the options that all have. */
export function chainCommand(name: string): Command {
  return new Command(name)
    .addOption(
      new Option(
        "-c, --config <file>",
        "the chain and the message types; default: waybill.config.ts, .mts, .js or .mjs here, else JSON and MessagePack",
      ),
    )
    .addOption(new Option("--json", "write JSON, as on a pipe"))
    .addOption(new Option("--no-json", "write tables, as on a terminal").default(undefined));
}

/** A command that works with a broker. */
export function brokerCommand(name: string): Command {
  return chainCommand(name)
    .addOption(
      new Option(
        "-d, --data <directory>",
        "the data directory of a local broker; default: the namespace of SERVICEBUS_CONNECTION_STRING",
      ),
    )
    .addOption(
      new Option(
        "--namespace <name>",
        "a namespace to sign in to with Microsoft Entra ID, as shop or shop.servicebus.windows.net; needs @azure/identity",
      ),
    );
}

/** Lets a command name the entities to look at. */
export function withEntities(command: Command): Command {
  return command.option(
    "-e, --entity <path>",
    "a queue, or topic/Subscriptions/name; can be repeated; default: every entity, which Azure tells with the Manage claim",
    (path: string, entities: EntityName[] = []) => [...entities, parseEntityName(path)],
  );
}

/** Lets a command say how a body is labelled. */
export function withLabels(command: Command): Command {
  return command
    .option("--content-type <type>", "the content type of the message")
    .option("--subject <text>", "the subject: the message type, unless your resolver has it elsewhere")
    .option(
      "-p, --property <name=value>",
      "an application property; name:=7 is a number; can be repeated",
      addProperty,
    );
}
