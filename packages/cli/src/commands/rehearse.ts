import { parseDuration } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { brokerCommand } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill rehearse`: shows how a consumer with this chain would read the waiting messages. */
export function rehearseCommand(): WaybillCommand {
  return brokerCommand("rehearse")
    .summary("show how a consumer with this chain would read the waiting messages")
    .description(
      "Reads the oldest messages of a queue, a subscription or a dead-letter queue as a consumer would, and shows by content type, reader, outcome " +
        "and reason what would happen to them, with the option that would read the rest. Peeks without locking and changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'")
    .option("-n, --max <number>", "how many messages; default: 100, or with --watch all", parseCount)
    .option("--watch <duration>", "go on peeking for this long, and read what arrives: 5m", parseDuration)
    .option(
      "--mirror",
      "the entity is a topic: watch what is published to it through a subscription that is made for this and removed at the end; needs --watch, and the " +
        "Manage claim on Azure",
    )
    .option("--session-id <id>", "only messages of this session")
    .examples(`
  waybill rehearse orders
  waybill rehearse events/Subscriptions/billing --max 1000
  waybill rehearse orders --watch 10s
  waybill rehearse events --mirror --watch 10s
  waybill rehearse 'orders/$DeadLetterQueue' --json | jq .advice

Live traffic: a queue is peeked twice a second, so messages that are consumed at once are missed. With --mirror nobody else receives from the subscription,
so none is missed; it has no filter, and scheduled messages come when they are due.
Exits with 0 when it is proved that this chain reads what comes, and with 1 when that is contradicted or not known.`)
    .runs(async () => (await import("../actions/rehearse.js")).rehearse);
}
