import type { ByteWriter } from "../codec/byte-writer.js";
import { type AmqpError, writeAmqpError } from "../frames/amqp-error.js";
import { AMQP_FRAME, writeFrame } from "../frames/frame.js";
import { asValue, closeType, openType } from "../frames/performatives.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";

/** Writes the open of a connection (2.7.1). */
export function writeOpen(
  to: ByteWriter,
  {
    containerId,
    hostname,
    maxFrameSize,
    channelMax,
    idleTimeOutMs,
    offeredCapabilities,
    properties,
  }: ResolvedConnectionOptions,
): void {
  writeFrame(to, AMQP_FRAME, 0, openType, {
    containerId,
    hostname,
    maxFrameSize,
    channelMax,
    idleTimeOut: idleTimeOutMs > 0 ? idleTimeOutMs : undefined,
    offeredCapabilities,
    properties,
  });
}

/** Writes the close of a connection (2.7.9). */
export function writeClose(to: ByteWriter, error: AmqpError | undefined): void {
  writeFrame(to, AMQP_FRAME, 0, closeType, {
    error: error && asValue((value) => writeAmqpError(value, error)),
  });
}
