import { BrokerError, type BrokerErrorCode } from "@waybill/broker";

/** The status of the service and, where SDKs look for one, the sub-code of each refusal of the broker. Source: "Service Bus REST, error codes". */
const STATUSES: Readonly<Record<BrokerErrorCode, readonly [status: number, subCode?: number]>> = {
  "argument-error": [400],
  "broker-closed": [503],
  cancelled: [408],
  "entity-already-exists": [409],
  "entity-disabled": [403, 40301],
  "entity-not-found": [404],
  "link-detached": [503],
  "message-lock-lost": [410],
  "message-not-found": [404],
  "message-size-exceeded": [400],
  "not-allowed": [400],
  "quota-exceeded": [403],
  "rule-not-found": [404],
  "server-busy": [503],
  "session-cannot-be-locked": [409],
  "session-lock-lost": [410],
  "storage-failed": [500],
  "storage-in-use": [500],
  "storage-unreadable": [500],
  timeout: [408],
  "transaction-not-found": [404],
  "transaction-timeout": [408],
};

/** A refusal that arises from HTTP itself, with the status that it is answered with. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** The one place where errors become HTTP's. What is no refusal is a defect and tells the client nothing of itself. */
export function toHttpError(error: unknown): { readonly status: number; readonly detail: string } {
  if (error instanceof HttpRefusal) return { status: error.status, detail: error.message };
  if (error instanceof BrokerError) {
    const [status, subCode] = STATUSES[error.code];
    return { status, detail: subCode === undefined ? error.message : `SubCode=${subCode}. ${error.message}` };
  }
  return { status: 500, detail: "The server failed to do this. Nothing about the request explains it." };
}
