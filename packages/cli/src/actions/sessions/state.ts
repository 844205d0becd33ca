import { toPortableValue } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { toJson } from "../../output/to-json.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";
import { withSession } from "./with-session.js";

/** How to show it. */
export interface StateOptions extends CommonOptions {
  readonly raw?: boolean;
}

/** `waybill sessions state`. */
export async function state(path: string, sessionId: string, options: StateOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { terminal, abortSignal } = context;
  if (options.raw === true) {
    const bytes = await withSession(context, path, sessionId, (receiver) =>
      receiver.getRawSessionState({ abortSignal }),
    );
    process.stdout.write(bytes ?? "");
    return bytes === undefined ? exitCodes.found : exitCodes.ok;
  }
  const value = await withSession(context, path, sessionId, (receiver) =>
    receiver.getSessionState({ abortSignal }),
  );
  const hasState = value !== undefined;
  if (terminal.isJson)
    terminal.json({ sessionId, hasState, state: hasState ? toPortableValue(value) : undefined });
  else terminal.line(hasState ? toJson(toPortableValue(value), 2) : "no state");
  return hasState ? exitCodes.ok : exitCodes.found;
}
