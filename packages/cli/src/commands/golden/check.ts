import { chainCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill golden check`: reads the samples with today's chain. */
export function checkCommand(): WaybillCommand {
  return chainCommand("check")
    .summary("read the samples with today's chain")
    .description(
      "Reads every golden message with today's chain and reports what changed: lost support, another reader, another value, a new ambiguity.",
    )
    .argument("<directory>", "where the golden messages are")
    .examples(`
  waybill golden check test/golden

In a test, the same is: await assertGoldenMessages({ pipeline, directory }), from @waybill/migration/golden.
Exits with 1 when something changed.`)
    .runs(async () => (await import("../../actions/golden/check.js")).check);
}
