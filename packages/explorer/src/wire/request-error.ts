import { WaybillError } from "@waybill/core";

/** A request that cannot be fulfilled: the reason, and the HTTP status. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** The status and the text of an error for a client. */
export function describeError(error: unknown): { readonly status: number; readonly text: string } {
  if (error instanceof RequestError) return { status: error.status, text: error.message };
  if (error instanceof WaybillError) return { status: 502, text: `${error.code}: ${error.text}` };
  // The error's own text may contain payload or secrets.
  return { status: 500, text: "An unexpected error occurred." };
}
