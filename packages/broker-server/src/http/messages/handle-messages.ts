import { BrokerError, type BrokerReceivedMessage, type BrokerReceiver } from "@waybill/broker";
import type { AccessRight } from "../../authorization/shared-access-key.js";
import { authorize } from "../authorize.js";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import { type HttpRequest, type HttpResponse, urlOf } from "../http-request.js";
import { fromBrokerMessage } from "./from-broker-message.js";
import type { MessageRequest } from "./message-resource.js";
import { isBatch, toBrokerMessage, toBrokerMessages } from "./to-broker-message.js";

const defaultTimeoutSeconds = 60;
/** Maximum size of a batch's JSON, as a multiple of the maximum batch size. */
const batchOverhead = 2;
const propertyBytes = 64 * 1024;

/** Handles a request about messages. Throws `BrokerError` or `HttpRefusal`. Source: "Service Bus runtime REST". */
export async function handleMessages(
  context: HttpContext,
  wanted: MessageRequest,
  request: HttpRequest,
): Promise<HttpResponse> {
  try {
    authorize(context, request, wanted.path, [rightFor(wanted)]);
    if (wanted.verb === "send") return await send(context, wanted.path, request);
    if (!("lockToken" in wanted)) return await receive(context, wanted, request);
    await settle(context.broker.receiver(wanted.path), wanted);
    return { status: 200 };
  } catch (error) {
    // The service answers 410 (gone) for missing entities.
    if (!(error instanceof BrokerError) || error.code !== "entity-not-found") throw error;
    throw new HttpRefusal(410, `SubCode=41000. The messaging entity '${wanted.path}' could not be found.`);
  }
}

function rightFor({ verb }: MessageRequest): AccessRight {
  return verb === "send" ? "Send" : "Listen";
}

async function send(context: HttpContext, path: string, request: HttpRequest): Promise<HttpResponse> {
  const { broker, memory, batchMessages, pause } = context;
  const sender = broker.sender(path);
  const entity = broker.getEntity(path);
  const largest = entity.kind === "subscription" ? 0 : entity.options.maxMessageSizeInKilobytes * 1024;
  const isMany = isBatch(request);
  const maxBytes = isMany ? sender.maxBatchSizeInBytes * batchOverhead : largest + propertyBytes;
  memory.makeRoom(maxBytes);
  const bytes = await readMessageBody(request, maxBytes, path);
  if (isMany) await sender.sendBatch(await toBrokerMessages(bytes, batchMessages, pause));
  else await sender.send(toBrokerMessage(request, bytes));
  return { status: 201, headers: [["Content-Type", "application/xml; charset=utf-8"]] };
}

async function readMessageBody(request: HttpRequest, maxBytes: number, path: string): Promise<Uint8Array> {
  try {
    return await request.readBody(maxBytes);
  } catch (error) {
    if (!(error instanceof HttpRefusal) || error.status !== 413) throw error;
    throw new HttpRefusal(403, `SubCode=40300. The message is larger than '${path}' takes.`);
  }
}

async function receive(
  { broker }: HttpContext,
  { verb, path }: Exclude<MessageRequest, { lockToken: string }>,
  request: HttpRequest,
): Promise<HttpResponse> {
  const isLocked = verb === "lock";
  const receiver = broker.receiver(path, { mode: isLocked ? "peekLock" : "receiveAndDelete" });
  const maxWaitMs = timeoutOf(request) * 1000;
  const [message] = await receiver.receive(1, { maxWaitMs, signal: request.signal });
  if (message === undefined) return { status: 204 };
  // If the client has disconnected meanwhile, the message would stay locked.
  if (isLocked && request.signal.aborted) await receiver.release(message);
  return isLocked
    ? fromBrokerMessage(message, 201, locationOf(request, message))
    : fromBrokerMessage(message, 200);
}

function timeoutOf({ query }: HttpRequest): number {
  const text = query.get("timeout");
  if (text === null) return defaultTimeoutSeconds;
  if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(text))
    throw new HttpRefusal(400, "SubCode=40000. timeout must be a number of seconds.");
  return Number(text);
}

/** The URL by which the message is settled. */
function locationOf({ origin, segments }: HttpRequest, message: BrokerReceivedMessage): string {
  const { sequenceNumber, lockToken } = message;
  return urlOf(origin, [...segments.slice(0, -1), String(sequenceNumber), lockToken ?? ""]);
}

async function settle(
  receiver: BrokerReceiver,
  { verb, lockToken }: Extract<MessageRequest, { lockToken: string }>,
): Promise<void> {
  if (verb === "complete") await receiver.complete(lockToken);
  else if (verb === "unlock") await receiver.abandon(lockToken);
  else await receiver.renewLock(lockToken);
}
