import type { ExitCode } from "../../errors/exit-codes.js";
import type { PeekOptions } from "../peek.js";
import { peek } from "../peek.js";

/** `waybill scheduled list`. A topic's own messages are the scheduled ones, and are peeked at its path like those of a queue. */
export async function list(path: string, options: PeekOptions): Promise<ExitCode> {
  return await peek(path, { ...options, state: "scheduled" });
}
