import assert from "node:assert/strict";
import { type ErrorCode, WaybillError } from "@waybill/core";

/** Fails unless the call rejects with a `WaybillError` of this code; a synchronous throw counts as well. */
export async function rejectsWith(
  code: ErrorCode,
  call: () => Promise<unknown>,
  what = "the call",
): Promise<WaybillError> {
  const error = await outcomeOf(call);
  assert.ok(error !== undefined, `${what} resolved instead of rejecting with ${code}`);
  assert.ok(
    error instanceof WaybillError,
    `${what} rejected with ${String(error)} instead of a WaybillError`,
  );
  assert.equal(error.code, code, `${what} rejected with: ${error.message}`);
  return error;
}

/** The error that a call ended with, or undefined. */
export async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error ?? new Error("something undefined was thrown");
  }
}
