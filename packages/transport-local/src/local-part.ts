import type { WaybillError } from "@waybill/core";
import { TransportPart } from "@waybill/core/transport";
import { toLocalError } from "./local-error.js";

/** What senders, receivers and rule managers share. */
export abstract class LocalPart extends TransportPart {
  protected override toError(error: unknown): WaybillError {
    return toLocalError(error, this.entityPath);
  }
}
