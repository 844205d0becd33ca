import { WaybillCommand } from "../waybill-command.js";
import { changeCommand } from "./change.js";
import { createCommand } from "./create.js";
import { deleteCommand } from "./delete.js";
import { listCommand } from "./list.js";
import { rulesCommand } from "./rules.js";
import { showCommand } from "./show.js";

/** `waybill entities`, with its subcommands. */
export function entitiesCommand(): WaybillCommand {
  return new WaybillCommand("entities")
    .summary("list, show, create, change and delete queues, topics and subscriptions")
    .description(
      "Lists the entities of a namespace with their counts, and manages them, with properties as in the Config.json of `waybill broker --config`. All " +
        "of it needs the Manage claim on Azure.",
    )
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(showCommand())
    .addCommand(createCommand())
    .addCommand(changeCommand())
    .addCommand(deleteCommand())
    .addCommand(rulesCommand());
}
