import assert from "node:assert/strict";
import { type EncodedMessage, type ErrorCode, type Transport, WaybillError } from "@waybill/core";
import type {
  DeliveredMessage,
  EntityAddress,
  ReceiveMode,
  SettlementHandle,
  TransportReceiver,
} from "@waybill/core/transport";
import { required } from "../../required.js";
import { caseMaker } from "./case-maker.js";
import type { EntitySetting, TransportFixture, TransportSubject } from "./transport-subject.js";

/** How long a receiver waits for a message that must not arrive, in milliseconds of the broker's time. */
const emptyWaitMs = 250;

/** Added to durations that must have passed: clocks of client and broker may differ a little. */
const slackMs = 500;

/** The fixture of one case, with the common steps of cases. */
export class TransportHarness {
  readonly #fixture: TransportFixture;
  readonly lockDurationMs: number;
  readonly maxMessageBytes: number;
  readonly #patienceMs: number;

  constructor(fixture: TransportFixture, subject: TransportSubject) {
    this.#fixture = fixture;
    this.lockDurationMs = subject.lockDurationMs ?? 5000;
    this.maxMessageBytes = subject.maxMessageBytes ?? 256 * 1024;
    this.#patienceMs = subject.patienceMs ?? 5000;
  }

  get transport(): Transport {
    return this.#fixture.transport;
  }

  now(): Date {
    return this.#fixture.now();
  }

  createQueue(setting: Partial<EntitySetting> = {}): Promise<string> {
    return this.#fixture.createQueue(this.#completed(setting));
  }

  async queueWithReceiver(setting: Partial<EntitySetting> = {}) {
    const queue = await this.createQueue(setting);
    return { queue, receiver: this.receiver(queue) };
  }

  createTopic(subscriptions: readonly string[], setting: Partial<EntitySetting> = {}): Promise<string> {
    return this.#fixture.createTopic(subscriptions, this.#completed(setting));
  }

  /** Sends messages with these texts as bodies to a queue or topic. */
  async send(entity: string, ...messages: readonly (string | EncodedMessage)[]): Promise<void> {
    const sender = this.transport.createSender(entity);
    await sender.send(messages.map((one) => (typeof one === "string" ? message(one) : one)));
    await sender.close();
  }

  receiver(address: string | EntityAddress, receiveMode: ReceiveMode = "peekLock"): TransportReceiver {
    return this.transport.createReceiver(
      typeof address === "string" ? { queue: address } : address,
      receiveMode,
    );
  }

  deadLetterReceiver(queue: string): TransportReceiver {
    return this.receiver({ queue, subQueue: "deadLetter" });
  }

  /** Receives exactly `count` messages, in as many calls as needed, and fails if they do not arrive. */
  async receive(receiver: TransportReceiver, count: number): Promise<DeliveredMessage[]> {
    const messages: DeliveredMessage[] = [];
    while (messages.length < count) {
      const maxMessages = count - messages.length;
      const next = await this.ended(receiver.receive({ maxMessages, maxWaitTimeInMs: 10_000 }), 10_000);
      assert.ok(next.length > 0, `${messages.length} of ${count} messages came from ${receiver.entityPath}`);
      assert.ok(
        next.length <= maxMessages,
        `${next.length} messages came where ${maxMessages} were asked for`,
      );
      messages.push(...next);
    }
    return messages;
  }

  async receiveOne(receiver: TransportReceiver): Promise<DeliveredMessage> {
    return required((await this.receive(receiver, 1))[0]);
  }

  /** Sends one message to a queue and receives it with the receiver. */
  async sendAndReceive(queue: string, receiver: TransportReceiver, text = "lamp"): Promise<DeliveredMessage> {
    await this.send(queue, text);
    return this.receiveOne(receiver);
  }

  /** Fails when the receiver gets a message. */
  async receiveNothing(receiver: TransportReceiver): Promise<void> {
    const messages = await this.passing(
      emptyWaitMs,
      receiver.receive({ maxMessages: 10, maxWaitTimeInMs: emptyWaitMs }),
    );
    assert.deepEqual(texts(messages), [], `nothing comes from ${receiver.entityPath}`);
  }

  /** Lets time pass while a call is in progress, then waits for the call. */
  async passing<T>(durationMs: number, call: Promise<T>): Promise<T> {
    call.catch(() => {});
    await turn();
    await this.#fixture.advance(durationMs + slackMs);
    return call;
  }

  /** Waits for a call that needs no passing of time; if it does not end, lets enough time pass for it to time out. */
  async ended<T>(call: Promise<T>, givesUpAfterMs: number): Promise<T> {
    if (await this.#isEnding(call)) return call;
    await this.#fixture.advance(givesUpAfterMs + slackMs);
    assert.ok(await this.#isEnding(call), "a call never ended");
    return call;
  }

  /** Waits until a condition holds, and fails if it does not in time. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const endMs = performance.now() + this.#patienceMs;
    while (!holds()) {
      if (performance.now() > endMs) assert.fail(`it never happened that ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Lets enough time pass that every current lock expires unless renewed. */
  async outlastLocks(): Promise<void> {
    await this.#fixture.advance(this.lockDurationMs + slackMs);
  }

  /** Lets time pass. */
  async advance(durationMs: number): Promise<void> {
    await this.#fixture.advance(durationMs);
  }

  #completed(setting: Partial<EntitySetting>): EntitySetting {
    return {
      lockDurationMs: this.lockDurationMs,
      maxDeliveryCount: 10,
      requiresSession: false,
      ...setting,
    };
  }

  async #isEnding(call: Promise<unknown>): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, this.#patienceMs, false);
    });
    const isEnding = await Promise.race([
      call.then(
        () => true,
        () => true,
      ),
      patience,
    ]);
    clearTimeout(timer);
    return isEnding;
  }
}

/** Makes cases of transports. */
export const transportCase = caseMaker(TransportHarness);

/** A message with a text as its body. */
export function message(text: string, properties: Omit<EncodedMessage, "body"> = {}): EncodedMessage {
  return { ...properties, body: new TextEncoder().encode(text) };
}

/** The bodies of messages as texts. */
export function texts(messages: readonly DeliveredMessage[]): string[] {
  return messages.map(({ body }) =>
    body instanceof Uint8Array ? new TextDecoder().decode(body) : `an AMQP ${body.section}`,
  );
}

/** The handle of a message that was received under a lock. */
export function handleOf(delivered: DeliveredMessage): SettlementHandle {
  assert.ok(
    delivered.settlement !== undefined,
    "a message received in peek-lock mode has a settlement handle",
  );
  return delivered.settlement;
}

/** Fails unless the call rejects with a `WaybillError` of this code; a synchronous throw counts as well. */
export async function rejectsWith(
  code: ErrorCode,
  call: () => Promise<unknown>,
  what = "the call",
): Promise<void> {
  const error = await outcomeOf(call);
  assert.ok(error !== undefined, `${what} resolved instead of rejecting with ${code}`);
  assert.ok(
    error instanceof WaybillError,
    `${what} rejected with ${String(error)} instead of a WaybillError`,
  );
  assert.equal(error.code, code, `${what} rejected with: ${error.message}`);
}

/** The error that a call ended with, or undefined. */
export async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error ?? new Error("something undefined was thrown");
  }
}

/** Lets pending work run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
