import { type EncodedMessage, WaybillError } from "@waybill/core";
import type { TransportSender } from "@waybill/core/transport";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { Interruption } from "../errors/interruption.js";
import { UsageError } from "../errors/usage-error.js";
import type { InputBody } from "../input/read-bodies.js";
import { counted } from "../output/counted.js";
import { type BrokerContext, isInterruption } from "./action-context.js";

/** Sends the messages of many bodies in batches, in their order. An error says how many were sent, and how to go on. */
export async function sendAll(
  context: BrokerContext,
  entity: string,
  bodies: AsyncIterable<InputBody>,
  skipped: number,
  encode: (body: InputBody) => Promise<EncodedMessage>,
): Promise<ExitCode> {
  const { terminal, transport } = context;
  const sender = transport.createSender(entity);
  const progress = { sent: 0 };
  try {
    await terminal.withProgress("messages", (show) =>
      inBatches(context, sender, bodies, encode, (count) => {
        progress.sent += count;
        show(progress.sent);
      }),
    );
  } catch (error) {
    throw explained(error, context, progress.sent, skipped);
  } finally {
    await sender.close();
  }
  if (terminal.isJson) terminal.json({ sent: progress.sent });
  else terminal.line(`${counted(progress.sent, "message")} sent`);
  return exitCodes.ok;
}

async function inBatches(
  { abortSignal }: BrokerContext,
  sender: TransportSender,
  bodies: AsyncIterable<InputBody>,
  encode: (body: InputBody) => Promise<EncodedMessage>,
  onSent: (count: number) => void,
): Promise<void> {
  let batch = await sender.createBatch({ abortSignal });
  const flush = async () => {
    await sender.sendBatch(batch, { abortSignal });
    onSent(batch.count);
  };
  for await (const body of bodies) {
    const message = await encode(body);
    if (batch.tryAdd(message)) continue;
    await flush();
    batch = await sender.createBatch({ abortSignal });
    if (!batch.tryAdd(message))
      throw new UsageError(
        `${body.place} is larger than ${batch.maxSizeInBytes} bytes, which ${sender.entityPath} accepts.`,
      );
  }
  if (batch.count > 0) await flush();
}

/** The same error with how many were sent before it. */
function explained(error: unknown, context: BrokerContext, sent: number, skipped: number): unknown {
  const done = `${counted(sent, "message")} ${sent === 1 ? "was" : "were"} sent`;
  const from = skipped + sent;
  const goOn =
    from === 0 ? `${done}.` : `${done}; --skip ${from} goes on after ${sent === 1 ? "it" : "them"}.`;
  const uncertain = "Those of one more batch may have been sent, too.";
  if (isInterruption(error, context)) return new Interruption(`Interrupted: ${goOn} ${uncertain}`);
  if (error instanceof UsageError) return new UsageError(`${error.message} ${goOn}`);
  if (!(error instanceof WaybillError)) return error;
  const isUnanswered = error.code === "connection-lost" || error.code === "timeout";
  const text = `${error.text} ${goOn}${isUnanswered ? ` ${uncertain}` : ""}`;
  return new WaybillError(error.code, text, { cause: error });
}
