import { addProperty } from "../../input/parse-property.js";
import { brokerCommand } from "../common-options.js";
import { WaybillCommand } from "../waybill-command.js";

const subscription = "events/Subscriptions/billing";

/** `waybill entities rules`, with its subcommands. */
export function rulesCommand(): WaybillCommand {
  return new WaybillCommand("rules")
    .summary("list, add and remove the rules of a subscription")
    .description("Manages the rules that choose which messages of its topic a subscription gets.")
    .addCommand(listRulesCommand(), { isDefault: true })
    .addCommand(addRuleCommand())
    .addCommand(removeRuleCommand());
}

function listRulesCommand(): WaybillCommand {
  return brokerCommand("list")
    .summary("list the rules of a subscription")
    .description(
      "Lists the rules of a subscription: a message is received if one of their filters selects it. Changes nothing.",
    )
    .argument("<subscription>", subscription)
    .examples(`
  waybill entities rules list events/Subscriptions/billing`)
    .runs(async () => (await import("../../actions/entities/rules.js")).listRules);
}

function addRuleCommand(): WaybillCommand {
  return brokerCommand("add")
    .summary("add a rule to a subscription")
    .description(
      "Adds a rule with a SQL filter, or with properties that must be equal. A new subscription has the rule $Default, which selects everything: remove it, too.",
    )
    .argument("<subscription>", subscription)
    .argument("<rule>", "its name")
    .option("--sql <expression>", "a SQL filter: total > 1000 AND sys.Label = 'order-placed'")
    .option("--subject <text>", "the subject must be this")
    .option("--correlation-id <id>", "the correlation id must be this")
    .option("--content-type <type>", "the content type must be this")
    .option("--session-id <id>", "the session must be this")
    .option(
      "-p, --property <name=value>",
      "an application property must be this; name:=7 is a number; can be repeated",
      addProperty,
    )
    .option("--action <expression>", "changes the copies that it selects: SET priority = 'high'")
    .examples(`
  waybill entities rules add events/Subscriptions/large large --sql 'total > 1000'
  waybill entities rules add events/Subscriptions/large orders --subject order-placed --property tenant=7`)
    .runs(async () => (await import("../../actions/entities/rules.js")).addRule);
}

function removeRuleCommand(): WaybillCommand {
  return brokerCommand("remove")
    .summary("remove a rule from a subscription")
    .description("Removes a rule. A subscription without rules gets no messages.")
    .argument("<subscription>", subscription)
    .argument("<rule>", "its name")
    .examples(`
  waybill entities rules remove events/Subscriptions/large '$Default'`)
    .runs(async () => (await import("../../actions/entities/rules.js")).removeRule);
}
