import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { pause } from "waybill-harness/waiting.js";

/** The queues of the trial, seen from outside by peeking. */
export class Queues {
  readonly #connectionString: () => string;

  constructor(connectionString: () => string) {
    this.#connectionString = connectionString;
  }

  /** The dead letters of a queue. */
  async deadLetters(queue: string): Promise<ServiceBusReceivedMessage[]> {
    return await this.#peek(queue, "deadLetter", Number.POSITIVE_INFINITY);
  }

  /** Whether nothing is left in a queue: no active, locked, deferred or scheduled message. Its dead letters do not count. */
  async isEmpty(queue: string): Promise<boolean> {
    // A message may be between two places while it is peeked for.
    for (const waitMs of [0, 500]) {
      await pause(waitMs);
      if ((await this.#peek(queue, undefined, 1)).length > 0) return false;
    }
    return true;
  }

  async #peek(
    queue: string,
    subQueueType: "deadLetter" | undefined,
    atMost: number,
  ): Promise<ServiceBusReceivedMessage[]> {
    const client = new ServiceBusClient(this.#connectionString());
    const receiver = client.createReceiver(queue, { ...(subQueueType && { subQueueType }) });
    const found: ServiceBusReceivedMessage[] = [];
    while (found.length < atMost) {
      const page = await receiver.peekMessages(Math.min(100, atMost));
      if (page.length === 0) break;
      found.push(...page);
    }
    await client.close();
    return found;
  }
}
