import type { ByteWriter } from "../codec/byte-writer.js";
import { type AmqpError, writeAmqpError } from "../frames/amqp-error.js";
import { AMQP_FRAME, writeFrame } from "../frames/frame.js";
import { asValue, closeType, openType } from "../frames/performatives.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";

/** The smallest maximum that a peer may announce (2.7.1). */
const SMALLEST_MAXIMUM = 512;

/**
 * Writes the open of a connection (2.7.1). It offers no larger frames than a peer that opened first receives: uAMQP, below Microsoft's older SDKs for
 * Python, takes the offer as the size of its frames and then cannot encode one that is larger than its own maximum.
 */
export function writeOpen(
  to: ByteWriter,
  remoteMaxFrameSize: number,
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
    maxFrameSize: Math.min(maxFrameSize, Math.max(remoteMaxFrameSize, SMALLEST_MAXIMUM)),
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
