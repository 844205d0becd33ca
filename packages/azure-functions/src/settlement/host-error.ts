import { type ErrorCode, WaybillError } from "@waybill/core";

/** An error of the gRPC client of the SDK binding. */
export interface GrpcError {
  readonly code?: number;
  readonly details?: string;
}

/** gRPC's status codes by waybill's. Source: https://grpc.io/docs/guides/status-codes/ */
const codes: Readonly<Record<number, ErrorCode>> = {
  4: "timeout",
  7: "unauthorized",
  // The host forgets the locks of an invocation when it ends.
  9: "message-lock-lost",
  12: "not-supported",
  14: "connection-lost",
  16: "unauthorized",
};

/** The error of an action: the one place where those of the host are mapped. */
export function toHostError(error: GrpcError, entityPath: string): WaybillError {
  const { code, details = "" } = error ?? {};
  const known = code === undefined ? undefined : (byDetails(details) ?? codes[code]);
  return known === undefined
    ? WaybillError.from(error, "internal", { entityPath })
    : new WaybillError(known, `The host refused the settlement: ${details}`, { entityPath, cause: error });
}

/** The host answers UNKNOWN to everything that its SDK throws, with the reason in the text. */
function byDetails(details: string): ErrorCode | undefined {
  if (/SessionLockLost/i.test(details)) return "session-lock-lost";
  return /MessageLockLost/i.test(details) ? "message-lock-lost" : undefined;
}
