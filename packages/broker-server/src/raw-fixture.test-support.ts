import type { SaslCredentials } from "@waybill/amqp";
import { type Broker, type Clock, createBroker, type QueueOptions } from "@waybill/broker";
import { vi } from "vitest";
import { type ServeOptions, serve } from "./index.js";
import { connectRaw } from "./raw-client.test-support.js";

export interface RawOptions extends ServeOptions {
  readonly clock?: Clock | undefined;
}

/** A broker with a queue `orders`, and a server for plain AMQP clients. */
export async function openRaw(queue: QueueOptions = {}, { clock, ...options }: RawOptions = {}) {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const broker = createBroker({ clock });
  await broker.createQueue("orders", queue);
  const acceptAnyone = options.keys === undefined;
  const server = await serve(broker, { port: 0, acceptAnyone, closeTimeoutMs: 50, ...options });
  warnings.mockRestore();
  return {
    broker,
    server,
    connect: (credentials?: SaslCredentials, hostname?: string) => connectRaw(server, credentials, hostname),
    async [Symbol.asyncDispose](): Promise<void> {
      await server.close();
      await broker.close();
    },
  };
}

/** Sends `count` messages of a size to `orders`. */
export const fill = (fixture: { broker: Broker }, count: number, bytes = 10) =>
  fixture.broker
    .sender("orders")
    .sendBatch(
      Array.from({ length: count }, () => ({ body: { section: "data", bytes: Buffer.alloc(bytes) } })),
    );
