import type { ByteWriter } from "../codec/byte-writer.js";
import { type AmqpError, writeAmqpError } from "../frames/amqp-error.js";
import { AMQP_FRAME, writeFrame } from "../frames/frame.js";
import { asValue, closeType, openType } from "../frames/performatives.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";

/** Writes the open of a connection (2.7.1). */
export function writeOpen(to: ByteWriter, options: ResolvedConnectionOptions): void {
  writeFrame(to, AMQP_FRAME, 0, openType, {
    containerId: options.containerId,
    hostname: options.hostname,
    maxFrameSize: options.maxFrameSize,
    channelMax: options.channelMax,
    idleTimeOut: options.idleTimeOutMs > 0 ? options.idleTimeOutMs : undefined,
    offeredCapabilities: options.offeredCapabilities,
    properties: options.properties,
  });
}

/** Writes the close of a connection (2.7.9). */
export function writeClose(to: ByteWriter, error: AmqpError | undefined): void {
  writeFrame(to, AMQP_FRAME, 0, closeType, {
    error: error && asValue((value) => writeAmqpError(value, error)),
  });
}
