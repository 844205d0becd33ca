import type { Command } from "commander";
import { type DeadLetterAddress, parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { brokerCommand } from "../common-options.js";
import { exiting } from "../exiting.js";

/** `waybill dead-letters list`: what is there, by cause, and what today's chain makes of it. */
export function listCommand(): Command {
  return brokerCommand("list")
    .summary("what is there, by cause, and what today's chain makes of it")
    .description(
      "Groups dead-lettered messages by reason, content type, type and version, and tells who would read them now. Changes nothing.",
    )
    .argument(
      "[entities...]",
      "queues and topic/Subscriptions/name; default: every entity, which Azure tells with the Manage claim",
      (path: string, queues: readonly DeadLetterAddress[] = []) => [...queues, parseDeadLetterQueue(path)],
    )
    .addHelpText(
      "after",
      `
Examples:
  waybill dead-letters list
  waybill dead-letters list orders events/Subscriptions/billing --json | jq '.[].decodable'

Exits with 1 when some of them cannot be deserialized.`,
    )
    .action(exiting(async () => (await import("../../actions/dead-letters/list.js")).list));
}
