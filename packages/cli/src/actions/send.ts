import { randomUUID } from "node:crypto";
import { type EncodedMessage, type Message, WaybillError } from "@waybill/core";
import { checkMessage } from "@waybill/core/transport";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { Interruption } from "../errors/interruption.js";
import { UsageError } from "../errors/usage-error.js";
import { jsonValue } from "../input/json-value.js";
import { holdsMany, readBodies } from "../input/read-bodies.js";
import { readInput } from "../input/read-input.js";
import { counted } from "../output/counted.js";
import {
  type BrokerContext,
  type CommonOptions,
  isInterruption,
  type LabelOptions,
  openBrokerContext,
} from "./action-context.js";
import { sendAll } from "./send-all.js";

/** What to send. */
export interface SendOptions extends CommonOptions, LabelOptions {
  readonly body?: string;
  readonly raw?: boolean;
  readonly lines?: boolean;
  readonly skip?: number;
  readonly as?: string;
  readonly toVersion?: number;
  readonly messageId?: string;
  readonly correlationId?: string;
  readonly sessionId?: string;
  readonly timeToLive?: number;
  readonly schedule?: Date;
}

export async function send(
  entity: string,
  file: string | undefined,
  options: SendOptions,
): Promise<ExitCode> {
  if (entity.trim() === "") throw new UsageError("Name the queue or the topic to send to.");
  if (file !== undefined && options.body !== undefined)
    throw new UsageError("Give a file or --body, not both.");
  const byLines = options.lines === true;
  if (!(await holdsMany(file, byLines))) return await sendOne(entity, file, options);
  if (options.messageId !== undefined || options.schedule !== undefined)
    throw new UsageError("--message-id and --schedule are for one message, not for a folder.");
  await using context = await openContext(entity, options);
  const bodies = readBodies(file, { byLines, skip: options.skip });
  return await sendAll(context, entity, bodies, options.skip ?? 0, ({ place, bytes }) =>
    encode(context, entity, options, bytes, place),
  );
}

async function sendOne(entity: string, file: string | undefined, options: SendOptions): Promise<ExitCode> {
  const bytes = options.body === undefined ? await readInput(file) : Buffer.from(options.body);
  // Before the broker is opened: a mistake in the command needs no broker.
  if (options.raw !== true) jsonValue(bytes);
  await using context = await openContext(entity, options);
  const message = await encode(context, entity, options, bytes);
  const sequenceNumber = await deliver(context, entity, message, options.schedule);
  const { messageId, contentType } = message;
  if (context.terminal.isJson) {
    context.terminal.json({
      messageId,
      contentType,
      bytes: (message.body as Uint8Array).length,
      sequenceNumber,
    });
  } else {
    const when = options.schedule === undefined ? "sent" : `scheduled as ${sequenceNumber}`;
    context.terminal.line(
      `${when}: ${messageId} (${contentType ?? "no content type"}, ${counted((message.body as Uint8Array).length, "byte")})`,
    );
  }
  return exitCodes.ok;
}

async function openContext(entity: string, options: SendOptions): Promise<BrokerContext> {
  const context = await openBrokerContext(options);
  if (options.create === true) await context.createQueue(entity);
  return context;
}

/** The message of a body. Throws `UsageError` that names `place` if it is no JSON. */
async function encode(
  { pipeline, abortSignal }: BrokerContext,
  entity: string,
  options: SendOptions,
  bytes: Uint8Array,
  place?: string,
): Promise<EncodedMessage> {
  const { raw, contentType, as, toVersion } = options;
  const properties = propertiesOf(options);
  let message: EncodedMessage;
  if (raw === true) {
    message = { ...properties, contentType, body: Uint8Array.from(bytes) };
  } else {
    const writeAs = { serializer: as, version: toVersion };
    const body = jsonValue(bytes, place);
    message = await pipeline.serialize({ ...properties, contentType, body }, { abortSignal, writeAs });
  }
  checkMessage(message, entity);
  return message;
}

function propertiesOf(options: SendOptions): Omit<Message, "body"> {
  const { subject, property, messageId = randomUUID(), correlationId, sessionId, timeToLive } = options;
  return { subject, applicationProperties: property, messageId, correlationId, sessionId, timeToLive };
}

async function deliver(
  { transport, abortSignal }: BrokerContext,
  entity: string,
  message: EncodedMessage,
  schedule: Date | undefined,
): Promise<bigint | undefined> {
  const sender = transport.createSender(entity);
  try {
    if (schedule === undefined) await sender.send([message], { abortSignal });
    else return (await sender.schedule([message], schedule, { abortSignal }))[0];
  } catch (error) {
    if (!isInterruption(error, { abortSignal })) throw withSessionHint(error);
    throw new Interruption(
      `Interrupted: the message may have been sent. Look for ${String(message.messageId)} with waybill peek before you send it again, with the same --message-id.`,
    );
  } finally {
    await sender.close();
  }
  return undefined;
}

/** Recognises the error of Service Bus and of the local broker. */
function withSessionHint(error: unknown): unknown {
  if (!(error instanceof WaybillError) || !/SessionId was not set/i.test(error.message)) return error;
  return new UsageError(`${error.message}\nName the session with --session-id ID.`);
}
