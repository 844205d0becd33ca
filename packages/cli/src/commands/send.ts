import { Option } from "commander";
import { parseDuration, parseWhen } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { brokerCommand, withLabels } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill send`: sends one message. */
export function sendCommand(): WaybillCommand {
  return withLabels(brokerCommand("send"))
    .summary("send messages")
    .description(
      "Sends a message to a queue or a topic, or one for each line of a file or each file of a folder. Bodies are given as JSON, in the current version " +
        "if they have a message type, and sent in the format of the chain's main serializer.",
    )
    .argument("<queue-or-topic>", "where to")
    .argument(
      "[file]",
      "the body as JSON, or a folder of bodies, which are sent in the order of their names; default: the standard input",
    )
    .option("-b, --body <json>", "the body, instead of a file")
    .addOption(
      new Option("--lines", "each line of the file is the body of a message of its own").conflicts([
        "body",
        "raw",
        "messageId",
        "schedule",
      ]),
    )
    .option(
      "--skip <number>",
      "leave out as many of the first lines or files, to go on where a run has ended",
      parseCount,
    )
    .addOption(
      new Option("--raw", "send the bytes as they are, with the content type that you give").conflicts([
        "as",
        "toVersion",
      ]),
    )
    .option("--as <serializer>", "the serializer that writes, by its name; default: the main one")
    .option(
      "--to-version <number>",
      "the version to write, if there are downcasters to it; default: the current one",
      parseCount,
    )
    .option("--message-id <id>", "default: a new one")
    .option("--correlation-id <id>", "the message that this one belongs to")
    .option("--session-id <id>", "the session; needed if the entity requires sessions")
    .option("--time-to-live <duration>", "how long until it expires: 30s, 10m, 7d", parseDuration)
    .option(
      "--schedule <when>",
      "when it becomes visible: 10m (from now), or 2026-11-05T12:00:00Z",
      parseWhen,
    )
    .option("--create", "with --data: create the directory and the queue if they do not exist")
    .examples(`
  waybill send orders --body '{"id":1}' --subject order-placed
  waybill send orders order.msgpack --raw --content-type application/vnd.msgpack
  waybill send orders --body '{"id":1}' --data ./broker --create
  waybill send orders --lines orders.ndjson --subject order-placed
  waybill send orders bodies --subject order-placed
  waybill decode old.bin --json | jq .value | waybill send orders --as avro --subject order-placed`)
    .runs(async () => (await import("../actions/send.js")).send);
}
