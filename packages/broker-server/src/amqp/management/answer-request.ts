import { type AmqpMap, type AmqpValue, encodeMessage, int, stringMap, symbol } from "@waybill/amqp";
import type { AccessRight } from "../../authorization/shared-access-key.js";
import { textOf } from "../../messages/application-properties.js";
import { AmqpRefusal, toRefusal } from "../../refusals/error.js";
import type { NodeRequest } from "../node-request.js";
import type { Peer } from "../peer.js";
import { batchDeleteMessages } from "./batch-delete-messages.js";
import { peekMessage } from "./peek-message.js";
import { receiveBySequenceNumber } from "./receive-by-sequence-number.js";
import { renewLock } from "./renew-lock.js";
import { type ManagementReply, type ManagementRequest, RequestBody } from "./request.js";
import { addRule, enumerateRules, removeRule } from "./rules.js";
import { cancelScheduledMessage, scheduleMessage } from "./scheduled-messages.js";
import { getMessageSessions, getSessionState, renewSessionLock, setSessionState } from "./sessions.js";
import { updateDisposition } from "./update-disposition.js";

interface Operation {
  readonly right: AccessRight;
  /** Whether its work depends on more than its arguments, so that it runs in turns. */
  readonly isLong?: boolean;
  /** Whether it settles messages, for which transactions have special rules. */
  readonly settles?: boolean;
  run(request: ManagementRequest): Promise<ManagementReply> | ManagementReply;
}

/** All operations of a management node with the required right. Rules require no more than receiving. */
const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["com.microsoft:add-rule", { right: "Listen", run: addRule }],
  ["com.microsoft:batch-delete-messages", { right: "Listen", isLong: true, run: batchDeleteMessages }],
  ["com.microsoft:cancel-scheduled-message", { right: "Send", run: cancelScheduledMessage }],
  ["com.microsoft:enumerate-rules", { right: "Listen", isLong: true, run: enumerateRules }],
  ["com.microsoft:get-message-sessions", { right: "Listen", isLong: true, run: getMessageSessions }],
  ["com.microsoft:get-session-state", { right: "Listen", run: getSessionState }],
  ["com.microsoft:peek-message", { right: "Listen", isLong: true, run: peekMessage }],
  [
    "com.microsoft:receive-by-sequence-number",
    { right: "Listen", isLong: true, run: receiveBySequenceNumber },
  ],
  ["com.microsoft:remove-rule", { right: "Listen", run: removeRule }],
  ["com.microsoft:renew-lock", { right: "Listen", run: renewLock }],
  ["com.microsoft:renew-session-lock", { right: "Listen", run: renewSessionLock }],
  ["com.microsoft:schedule-message", { right: "Send", run: scheduleMessage }],
  ["com.microsoft:set-session-state", { right: "Listen", run: setSessionState }],
  ["com.microsoft:update-disposition", { right: "Listen", settles: true, run: updateDisposition }],
]);

const trackingIdProperty = "com.microsoft:tracking-id";

/** Whether a request's operation runs in turns. */
export function isLong(properties: AmqpMap | undefined): boolean {
  return operations.get(textOf(properties?.get("operation")) ?? "")?.isLong === true;
}

/** Runs a management request and encodes its response, with the request's id in its original type. */
export async function answerRequest(
  peer: Peer,
  path: string,
  request: NodeRequest,
  messageId: AmqpValue,
): Promise<Uint8Array> {
  const trackingId = request.applicationProperties?.get(trackingIdProperty);
  const tracking = trackingId === undefined ? {} : { [trackingIdProperty]: trackingId };
  try {
    const reply = await run(peer, path, request);
    return encode(messageId, reply, reply.statusCode === 200 ? "OK" : "No Content", tracking);
  } catch (error) {
    const { statusCode, description, condition } = toRefusal(error, peer);
    return encode(messageId, { statusCode, errorCondition: condition }, description, tracking);
  }
}

async function run(peer: Peer, path: string, request: NodeRequest): Promise<ManagementReply> {
  const name = textOf(request.applicationProperties?.get("operation")) ?? "";
  const operation = operations.get(name);
  if (operation === undefined) {
    throw new AmqpRefusal("amqp:not-implemented", `There is no management operation '${name}'.`, 501);
  }
  peer.claims.require(path, operation.right);
  return operation.run({
    broker: peer.broker,
    sessions: peer.sessions,
    path,
    body: new RequestBody(request.body, peer.limits.batchMessages),
    // A response is held twice while it is encoded.
    maxAnswerBytes: peer.limits.connectionBytes / 2,
    pause: () => peer.requests.pause(),
    transaction:
      operation.settles === true
        ? peer.transactions.ofSettlement(request.state, path)
        : peer.transactions.of(request.state),
  });
}

function encode(
  correlationId: AmqpValue,
  { statusCode, body, errorCondition }: ManagementReply,
  statusDescription: string,
  tracking: Readonly<Record<string, AmqpValue>>,
): Uint8Array {
  return encodeMessage({
    properties: { correlationId },
    applicationProperties: stringMap({
      statusCode: int(statusCode),
      // SDKs lose the error's code if the description is empty.
      statusDescription: statusDescription || "Refused",
      ...(errorCondition !== undefined && { errorCondition: symbol(errorCondition) }),
      ...tracking,
    }),
    body: { kind: "value", value: body === undefined ? null : stringMap(body) },
  });
}
