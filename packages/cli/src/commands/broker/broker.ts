import { WaybillCommand } from "../waybill-command.js";
import { certificateCommand } from "./certificate.js";
import { pullCommand } from "./pull.js";
import { purgeCommand, resetCommand } from "./purge.js";
import { pushCommand } from "./push.js";
import { withStartOptions } from "./start.js";

/** `waybill broker`: a local broker for every SDK, with its subcommands. */
export function brokerCommand(): WaybillCommand {
  return withStartOptions(new WaybillCommand("broker").enablePositionalOptions())
    .summary("run a local broker for every SDK of Azure Service Bus")
    .description(
      "Serves a local broker to the unchanged SDKs of every language until it is interrupted: AMQP, AMQP over WebSockets, the management API and a " +
        "health endpoint on one port.",
    )
    .examples(`
  waybill broker                                     an empty namespace on port 5672
  waybill broker --config Config.json                that of the official emulator, as it is
  waybill broker --data ./broker --tier standard     keeps its messages, and Standard's limits
  waybill broker --also-port 5300                    for tools that look for the management API there
  waybill broker pull Config.json                    writes down what a namespace has
  waybill broker push Config.json --apply            creates in a namespace what a file has
  waybill broker --tls                               with a certificate that it makes, and says how to trust
  waybill broker purge orders
  waybill broker certificate remove

The key is that of WAYBILL_BROKER_KEY, or of the file that WAYBILL_BROKER_KEY_FILE names. By default it is SAS_KEY_VALUE, as in the official emulator, or a generated one if other machines can connect, which --data keeps. Requests of web pages are refused with every key: see --allow-origin and --allow-host.`)
    .runs(async () => (await import("../../actions/broker/start.js")).start)
    .addCommand(pullCommand())
    .addCommand(pushCommand())
    .addCommand(purgeCommand())
    .addCommand(resetCommand())
    .addCommand(certificateCommand());
}
