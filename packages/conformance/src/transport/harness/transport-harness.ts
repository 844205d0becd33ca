import assert from "node:assert/strict";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { EncodedMessage, Transport } from "@waybill/core";
import type {
  DeliveredMessage,
  EntityAddress,
  ReceiveMode,
  SettlementHandle,
  TransportAcceptSessionOptions,
  TransportReceiver,
  TransportSessionReceiver,
  TransportSubscribeHandlers,
  TransportSubscription,
} from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import { caseMaker } from "./case-maker.js";
import { FixtureHarness } from "./fixture-harness.js";
import type { EntitySetting, TransportFixture, TransportSubject } from "./transport-subject.js";

/** How long a receiver waits for a message that must not arrive, in milliseconds of the broker's time. */
const emptyWaitMs = 250;

/** Added to durations that must have passed: clocks of client and broker may differ a little. */
const slackMs = 500;

/** The fixture of one case, with the common steps of cases. */
export class TransportHarness extends FixtureHarness {
  readonly maxMessageBytes: number;

  constructor(fixture: TransportFixture, subject: TransportSubject) {
    super(fixture, subject);
    this.maxMessageBytes = subject.maxMessageBytes ?? 256 * 1024;
  }

  get transport(): Transport {
    return this.fixture.transport;
  }

  now(): Date {
    return this.fixture.now();
  }

  /** Creates a queue and sends messages to it, as {@link send} does. */
  async queueWith(...messages: readonly (string | EncodedMessage)[]): Promise<string> {
    const queue = await this.createQueue();
    await this.send(queue, ...messages);
    return queue;
  }

  async queueWithReceiver(setting: Partial<EntitySetting> = {}) {
    const queue = await this.createQueue(setting);
    return { queue, receiver: this.receiver(queue) };
  }

  createTopic(subscriptions: readonly string[], setting: Partial<EntitySetting> = {}): Promise<string> {
    return this.fixture.createTopic(subscriptions, this.completed(setting));
  }

  /** Sends messages with these texts as bodies to a queue or topic. */
  async send(entity: string, ...messages: readonly (string | EncodedMessage)[]): Promise<void> {
    const sender = this.transport.createSender(entity);
    await sender.send(messages.map((one) => (typeof one === "string" ? message(one) : one)));
    await sender.close();
  }

  receiver(address: string | EntityAddress, receiveMode: ReceiveMode = "peekLock"): TransportReceiver {
    return this.transport.createReceiver(addressOf(address), receiveMode);
  }

  acceptSession(
    address: string | EntityAddress,
    sessionId: string | undefined,
    options: Partial<TransportAcceptSessionOptions> = {},
  ): Promise<TransportSessionReceiver> {
    const defaults = { receiveMode: "peekLock", maxWaitTimeInMs: 60_000 } as const;
    return this.transport.acceptSession(addressOf(address), sessionId, { ...defaults, ...options });
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
      assert.ok(
        next.length > 0,
        `${messages.length} of ${count} messages were received from ${receiver.entityPath}`,
      );
      assert.ok(
        next.length <= maxMessages,
        `${next.length} messages were received with maxMessages ${maxMessages}`,
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

  /** Fails if the receiver gets a message. */
  async receiveNothing(receiver: TransportReceiver): Promise<void> {
    const messages = await this.passing(
      emptyWaitMs,
      receiver.receive({ maxMessages: 10, maxWaitTimeInMs: emptyWaitMs }),
    );
    assert.deepEqual(texts(messages), [], `no messages from ${receiver.entityPath}`);
  }

  /** Advances time while a call is pending, then waits for the call. */
  async passing<T>(durationMs: number, call: Promise<T>): Promise<T> {
    call.catch(() => {});
    await turn();
    await this.fixture.advance(durationMs + slackMs);
    return call;
  }

  /** Waits for a call that does not need time; if it does not end, advances time until it times out. */
  async ended<T>(call: Promise<T>, givesUpAfterMs: number): Promise<T> {
    if (await this.#isEnding(call)) return call;
    await this.fixture.advance(givesUpAfterMs + slackMs);
    assert.ok(await this.#isEnding(call), "a call did not end");
    return call;
  }

  /** Waits for a call that should be refused at once. If it waits for messages or a session instead, time passes until it gives up. */
  async refused<T>(call: Promise<T>, givesUpAfterMs: number): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    const over = call.then(end, end);
    const passed = turn().then(() => (isOver ? over : this.fixture.advance(givesUpAfterMs + slackMs)));
    await Promise.race([over, passed]);
    return this.ended(call, givesUpAfterMs);
  }

  /** Waits until a condition is true, and fails after a timeout. */
  async until(holds: () => boolean, what: string): Promise<void> {
    const endMs = performance.now() + this.patienceMs;
    while (!holds()) {
      if (performance.now() > endMs) assert.fail(`timed out waiting until ${what}`);
      await pause(2);
    }
  }

  /** Advances time so that every current lock expires unless renewed. */
  async outlastLocks(): Promise<void> {
    await this.fixture.advance(this.lockDurationMs + slackMs);
  }

  async #isEnding(call: Promise<unknown>): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, this.patienceMs, false);
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

function addressOf(address: string | EntityAddress): EntityAddress {
  return typeof address === "string" ? { queue: address } : address;
}

/** Creates cases for transports. */
export const transportCase = caseMaker(TransportHarness);

/** A message with a string as its body. */
export function message(text: string, properties: Omit<EncodedMessage, "body"> = {}): EncodedMessage {
  return { ...properties, body: new TextEncoder().encode(text) };
}

/** The bodies of messages as strings. */
export function texts(messages: readonly DeliveredMessage[]): string[] {
  return messages.map(({ body }) =>
    body instanceof Uint8Array ? new TextDecoder().decode(body) : `an AMQP ${body.section}`,
  );
}

/** The settlement handle of a message that was received with a lock. */
export function handleOf(delivered: DeliveredMessage): SettlementHandle {
  assert.ok(
    delivered.settlement !== undefined,
    "a message received in peek-lock mode has a settlement handle",
  );
  return delivered.settlement;
}

/** Subscribes with a handler of messages, and ignores errors. */
export function subscribe(
  receiver: TransportReceiver,
  onMessage: TransportSubscribeHandlers["onMessage"],
  maxConcurrentCalls = 1,
): TransportSubscription {
  return receiver.subscribe({ onMessage, onError() {} }, { maxConcurrentCalls });
}
