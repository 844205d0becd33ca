import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { jsonValue } from "../../input/json-value.js";
import { readInput } from "../../input/read-input.js";
import { printable } from "../../output/printable.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";
import { withSession } from "./with-session.js";

/** The state to set. */
export interface SetStateOptions extends CommonOptions {
  readonly body?: string;
  readonly clear?: boolean;
}

/** `waybill sessions set-state`. */
export async function setState(
  path: string,
  sessionId: string,
  file: string | undefined,
  { body, clear = false, ...options }: SetStateOptions,
): Promise<ExitCode> {
  if (file !== undefined && (clear || body !== undefined))
    throw new UsageError("Give a file, --body or --clear, only one of them.");
  const value = clear ? undefined : jsonValue(body === undefined ? await readInput(file) : Buffer.from(body));
  await using context = await openBrokerContext(options);
  const { terminal, abortSignal } = context;
  await withSession(context, path, sessionId, (receiver) => receiver.setSessionState(value, { abortSignal }));
  if (terminal.isJson) terminal.json({ sessionId, hasState: !clear });
  else terminal.line(`the state of ${printable(sessionId)} was ${clear ? "removed" : "set"}`);
  return exitCodes.ok;
}
