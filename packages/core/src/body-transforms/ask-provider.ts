import { type TimeLimit, withinTime } from "../contracts/within-time.js";
import { WaybillError } from "../errors/error.js";
import { unavailableAt } from "../errors/failure.js";
import type { Stage } from "../errors/reason.js";

/**
 * Asks a key provider or a claim-check store. Any error means that it is unavailable, as `text` says; its message is left out, because it may
 * contain key material or a signed URL.
 */
export async function askProvider<Result>(
  stage: Stage,
  text: string,
  limit: TimeLimit,
  work: (options: { readonly abortSignal: AbortSignal }) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await withinTime(limit, (abortSignal) => work({ abortSignal }));
  } catch (error) {
    const kind = error instanceof Error ? error.name : typeof error;
    const why = error instanceof WaybillError ? error.text : `It threw ${kind}.`;
    throw unavailableAt(stage, `${text} ${why}`);
  }
}
