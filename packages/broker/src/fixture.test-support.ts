import { Buffer } from "node:buffer";
import { type Broker, createBroker } from "./client/broker.js";
import type { BrokerOptions } from "./engine/broker-options.js";
import { BrokerError, type BrokerErrorCode } from "./errors/broker-error.js";
import type { BrokerMessage } from "./messages/message.js";
import type { BrokerReceivedMessage } from "./messages/received-message.js";
import { createManualClock, type ManualClock } from "./timing/clock.js";

/** A broker with its own clock, closed at the end of the test. */
export interface Fixture extends AsyncDisposable {
  readonly broker: Broker;
  readonly clock: ManualClock;
}

export function openFixture(options: Omit<BrokerOptions, "clock"> = {}): Fixture {
  const clock = createManualClock();
  const broker = createBroker({ ...options, clock });
  return { broker, clock, [Symbol.asyncDispose]: () => broker.close() };
}

export function message(text: string, properties: Omit<BrokerMessage, "body" | "wire"> = {}): BrokerMessage {
  return { ...properties, body: { section: "data", bytes: Buffer.from(text) } };
}

export function textOf(received: BrokerReceivedMessage | undefined): string {
  if (received?.body.section !== "data") throw new Error("expected a message with a data body");
  return Buffer.from(received.body.bytes).toString();
}

export function textsOf(received: readonly BrokerReceivedMessage[]): string[] {
  return received.map(textOf);
}

/** Waits until all promises have settled that need no advance of the clock. */
export async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await null;
}

/** The code of the `BrokerError` that `promise` rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<BrokerErrorCode> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof BrokerError) return error.code;
    throw error;
  }
  throw new Error("expected a BrokerError");
}
