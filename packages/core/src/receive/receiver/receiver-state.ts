import { WaybillError } from "../../errors/error.js";

/** What the calls of a receiver know of it. */
export interface ReceiverState {
  readonly entityPath: string;
  readonly isClosed: boolean;
}

/** Throws `closed` once the receiver is closed. */
export function requireOpen({ entityPath, isClosed }: ReceiverState): void {
  if (isClosed) throw new WaybillError("closed", "The receiver is closed.", { entityPath });
}
