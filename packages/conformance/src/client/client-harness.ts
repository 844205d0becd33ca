import assert from "node:assert/strict";
import {
  type EncodedMessage,
  type PeekedMessage,
  type ReceivedMessage,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { caseMaker } from "../transport/harness/case-maker.js";
import { FixtureHarness } from "../transport/harness/fixture-harness.js";
import { plainJson } from "./plain-json.js";

/** The fixture of one case, with a client on its transport. */
export class ClientHarness extends FixtureHarness {
  /** A client on the fixture's transport. */
  client(options: Partial<WaybillClientOptions> = {}): WaybillClient {
    return new WaybillClient(this.fixture.transport, { serializer: plainJson, ...options });
  }

  /** A new queue, with a client and a sender to it. */
  async openQueue(options: Partial<WaybillClientOptions> = {}) {
    const queue = await this.createQueue();
    const client = this.client(options);
    return { queue, client, sender: client.createSender(queue) };
  }

  /** Receives and completes exactly `count` messages, in order, and fails if they do not arrive. */
  async receive(client: WaybillClient, queue: string, count: number): Promise<ReceivedMessage[]> {
    const receiver = client.createReceiver(queue);
    const messages: ReceivedMessage[] = [];
    while (messages.length < count) {
      const next = await receiver.receiveMessages(count - messages.length, { maxWaitTimeInMs: 10_000 });
      assert.ok(next.length > 0, `${messages.length} of ${count} messages were received`);
      for (const one of next) await receiver.completeMessage(one);
      messages.push(...next);
    }
    await receiver.close();
    return messages;
  }

  /** Receives one message from a queue's dead-letter queue, raw if it is undeserializable. */
  async receiveDeadLetter(client: WaybillClient, queue: string) {
    const receiver = client.createReceiver(queue, { subQueueType: "deadLetter" });
    const [dead] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
    assert.ok(dead !== undefined, "a dead-lettered message was received");
    return { dead, complete: () => receiver.completeMessage(dead) };
  }

  /** Peeks the messages of a queue. */
  async peek(client: WaybillClient, queue: string) {
    const receiver = client.createReceiver(queue);
    const messages = await receiver.peekMessages(100);
    await receiver.close();
    return messages;
  }
}

/** Creates cases for clients. */
export const clientCase = caseMaker(ClientHarness);

/** An incompressible text of a given length. */
export function noise(length: number): string {
  let state = 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48271) % 2147483647;
    text += String.fromCharCode(33 + (state % 90));
  }
  return text.replaceAll(/["\\]/g, "-");
}

/** The parts of a received message that a resubmission sends again, byte for byte. */
export function resubmitted(dead: PeekedMessage): EncodedMessage {
  const {
    DeadLetterReason: _,
    DeadLetterErrorDescription: __,
    ...applicationProperties
  } = dead.applicationProperties;
  return {
    body: dead.rawBody,
    contentType: dead.contentType,
    subject: dead.subject,
    messageId: dead.messageId,
    applicationProperties,
  };
}
