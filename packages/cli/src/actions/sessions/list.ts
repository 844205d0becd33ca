import { WaybillClient } from "@waybill/core";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseEntity } from "../../input/parse-entity.js";
import { printable } from "../../output/printable.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** Which sessions to list. */
export interface SessionListOptions extends CommonOptions {
  readonly stateSetAfter?: Date;
}

/** `waybill sessions list`. */
export async function list(
  path: string,
  { stateSetAfter, ...options }: SessionListOptions,
): Promise<ExitCode> {
  const address = parseEntity(path);
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  await using client = new WaybillClient(transport, { pipeline });
  const which = { updatedAfter: stateSetAfter, abortSignal };
  const sessions =
    "queue" in address
      ? client.listSessions(address.queue, which)
      : client.listSessions(address.topic, address.subscription, which);
  let isEmpty = true;
  for await (const sessionId of sessions) {
    isEmpty = false;
    if (terminal.isJson) terminal.jsonLine({ sessionId });
    else terminal.line(printable(sessionId));
  }
  if (isEmpty && !terminal.isJson) terminal.line("no sessions");
  return exitCodes.ok;
}
