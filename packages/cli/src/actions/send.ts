import { randomUUID } from "node:crypto";
import type { EncodedMessage, Message } from "@waybill/core";
import { checkMessage } from "@waybill/core/transport";
import { fromPortableValue, type PortableValue, parsePortableJson } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { Interruption } from "../errors/interruption.js";
import { UsageError } from "../errors/usage-error.js";
import { readInput } from "../input/read-input.js";
import { counted } from "../output/counted.js";
import {
  type BrokerContext,
  type CommonOptions,
  isInterruption,
  type LabelOptions,
  openBrokerContext,
} from "./action-context.js";

/** What to send. */
export interface SendOptions extends CommonOptions, LabelOptions {
  readonly body?: string;
  readonly raw?: boolean;
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
  if (file !== undefined && options.body !== undefined)
    throw new UsageError("Give a file or --body, not both.");
  const bytes = options.body === undefined ? await readInput(file) : Buffer.from(options.body);
  const value = options.raw === true ? undefined : jsonValue(bytes);
  await using context = await openBrokerContext(options);
  if (options.create === true) await context.createQueue(entity);
  const properties = propertiesOf(options);
  const message = await encoded(context, options, properties, bytes, value);
  checkMessage(message, entity);
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

function jsonValue(bytes: Uint8Array): unknown {
  let value: PortableValue;
  try {
    value = parsePortableJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new UsageError("The body is not JSON. To send bytes as they are, use --raw.");
  }
  try {
    return fromPortableValue(value);
  } catch (error) {
    throw new UsageError(`The body has an invalid tag: ${(error as Error).message}`);
  }
}

function propertiesOf(options: SendOptions): Omit<Message, "body"> {
  const { subject, property, messageId = randomUUID(), correlationId, sessionId, timeToLive } = options;
  return { subject, applicationProperties: property, messageId, correlationId, sessionId, timeToLive };
}

async function encoded(
  { pipeline, abortSignal }: BrokerContext,
  { raw, contentType, as, toVersion }: SendOptions,
  properties: Omit<Message, "body">,
  bytes: Uint8Array,
  body: unknown,
): Promise<EncodedMessage> {
  if (raw === true) return { ...properties, contentType, body: Uint8Array.from(bytes) };
  const writeAs = { serializer: as, version: toVersion };
  return await pipeline.serialize({ ...properties, contentType, body }, { abortSignal, writeAs });
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
    if (!isInterruption(error, { abortSignal })) throw error;
    throw new Interruption(
      `Interrupted: the message may have been sent. Look for ${String(message.messageId)} with waybill peek before you send it again, with the same --message-id.`,
    );
  } finally {
    await sender.close();
  }
  return undefined;
}
