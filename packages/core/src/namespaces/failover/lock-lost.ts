import { hasCode, WaybillError } from "../../errors/error.js";
import type { PairedNamespace } from "./active-namespace.js";

/** The codes for a lock that is lost. */
export type LockCode = "message-lock-lost" | "session-lock-lost";

/** The error of a lock in a namespace that is not in use any more. */
export function lockLost(
  code: LockCode,
  { name }: PairedNamespace,
  entityPath: string,
  cause?: unknown,
): WaybillError {
  return new WaybillError(
    code,
    `It was locked in the namespace ${name}, which is not in use any more. What is not settled there is delivered there again.`,
    { entityPath, cause },
  );
}

/** Makes a call on a namespace that is not in use any more; if that does not answer, the lock is lost. */
export async function unlessLost<Answer>(
  code: LockCode,
  namespace: PairedNamespace,
  entityPath: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw hasCode(error, "connection-lost", "timeout") ? lockLost(code, namespace, entityPath, error) : error;
  }
}
