import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { counted } from "../../output/counted.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** `waybill scheduled cancel`. */
export async function cancel(
  entity: string,
  numbers: readonly bigint[],
  options: CommonOptions,
): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, terminal, abortSignal } = context;
  const sender = transport.createSender(entity);
  try {
    await sender.cancelScheduled(numbers, { abortSignal });
  } finally {
    await sender.close();
  }
  if (terminal.isJson) terminal.json({ entity, cancelled: numbers });
  else terminal.line(`${counted(numbers.length, "message")} cancelled`);
  return exitCodes.ok;
}
