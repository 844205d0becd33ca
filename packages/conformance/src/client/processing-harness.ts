import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type Message, type PeekedMessage, type ProcessErrorArgs, peekAll } from "@waybill/core";
import { caseMaker } from "../transport/harness/case-maker.js";
import type { EntitySetting } from "../transport/harness/transport-subject.js";
import { ClientHarness } from "./client-harness.js";

/** While a case waits, the broker's clock advances in steps of this many milliseconds, and a little real time passes. */
const stepMs = 20;

/** The fixture of one case about processors: a client, a queue and time. In some environments, the client uses the broker's clock. */
export class ProcessingHarness extends ClientHarness {
  /** The errors that `processError` received. */
  readonly errors: ProcessErrorArgs[] = [];
  readonly processError = (args: ProcessErrorArgs): void => void this.errors.push(args);

  /** Creates a queue and sends these messages to it; a body without a message is sent as one. */
  async queue(messages: readonly Message[], setting: Partial<EntitySetting> = {}): Promise<string> {
    const queue = await this.createQueue(setting);
    await this.send(queue, messages);
    return queue;
  }

  async send(queue: string, messages: readonly Message[]): Promise<void> {
    await this.client().createSender(queue).sendMessages(messages);
  }

  /** Receives messages like a process that crashes before it settles them; resolves when their locks have expired. */
  async loseDeliveries(queue: string, count: number): Promise<void> {
    const receiver = this.fixture.transport.createReceiver({ queue }, "peekLock");
    let missing = count;
    while (missing > 0) {
      const messages = await receiver.receive({ maxMessages: missing, maxWaitTimeInMs: 10_000 });
      assert.ok(messages.length > 0, `${missing} of ${count} messages were not received`);
      missing -= messages.length;
    }
    await receiver.close();
    await this.fixture.advance(this.lockDurationMs + 100);
  }

  /** Sends undeserializable messages: declared as JSON, but not JSON. */
  async sendPoison(queue: string, count: number, properties: Omit<Message, "body"> = {}): Promise<void> {
    const client = this.client();
    const body = new TextEncoder().encode("{");
    const message = { contentType: "application/json", ...properties, body };
    await client.createSender(queue).sendEncodedMessages(new Array(count).fill(message));
  }

  /** The broker's time in a given number of milliseconds. */
  later(ms: number): Date {
    return new Date(this.fixture.now().getTime() + ms);
  }

  /** Waits until a condition is true, while time advances; fails if it does not become true. */
  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const endMs = performance.now() + this.patienceMs;
    while (!(await holds())) {
      if (performance.now() > endMs)
        assert.fail(`timed out waiting until ${what}: ${this.#reportedErrors()}`);
      await this.#pass();
    }
  }

  /** Waits for a call, while time advances. */
  async ended<T>(call: Promise<T>, what: string): Promise<T> {
    let isEnded = false;
    const end = () => {
      isEnded = true;
    };
    call.then(end, end);
    await this.until(() => isEnded, what);
    return call;
  }

  /** Advances time long enough for a wrong effect to occur. */
  async quiet(durationMs = 200): Promise<void> {
    const endMs = performance.now() + durationMs / 4;
    for (let passedMs = 0; passedMs < durationMs || performance.now() < endMs; passedMs += stepMs)
      await this.#pass();
  }

  /** All messages of a queue, or of its dead-letter queue. */
  async content(queue: string, subQueueType?: "deadLetter"): Promise<PeekedMessage[]> {
    const client = this.client();
    const receiver = client.createReceiver(queue, subQueueType === undefined ? {} : { subQueueType });
    const messages: PeekedMessage[] = [];
    for await (const message of peekAll(receiver)) messages.push(message);
    await receiver.close();
    return messages;
  }

  /** Waits until a queue is empty. */
  async untilEmpty(queue: string): Promise<void> {
    await this.until(async () => (await this.content(queue)).length === 0, `${queue} is empty`);
  }

  async #pass(): Promise<void> {
    await this.fixture.advance(stepMs);
    await pause(1);
  }

  #reportedErrors(): string {
    return this.errors.map(({ errorSource, error }) => `${errorSource}: ${String(error)}`).join("; ");
  }
}

/** Creates cases for processors. */
export const processingCase = caseMaker(ProcessingHarness);

/** Messages whose bodies count from 1. */
export function counted(count: number, properties: Omit<Message, "body"> = {}): Message<{ n: number }>[] {
  return Array.from({ length: count }, (_, i) => ({
    ...properties,
    messageId: `m${i + 1}`,
    body: { n: i + 1 },
  }));
}

/** The numbers in the bodies of {@link counted} messages. */
export function numbersOf(messages: readonly { readonly body?: unknown }[]): number[] {
  return messages.map(({ body }) => (body as { n: number }).n);
}

/** A promise that the case settles. */
export function gate(): { readonly opened: Promise<void>; open(): void; fail(error: unknown): void } {
  let open = () => {};
  let fail = (_: unknown) => {};
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}
