import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import type { TrialLedger } from "./trial-ledger.js";

const queues = ["orders", "events"] as const;

/** Looks at the dead-letter queues by peeking. */
export class DeadLetters {
  readonly #connectionString: () => string;
  readonly #ledger: TrialLedger;

  constructor(connectionString: () => string, ledger: TrialLedger) {
    this.#connectionString = connectionString;
    this.#ledger = ledger;
  }

  /** Every message of the trial is healthy: one in a dead-letter queue is a violation. */
  async check(): Promise<void> {
    for (const { messageId, deadLetterReason, deadLetterErrorDescription } of await this.#peekAll())
      this.#ledger.violation(
        `${messageId} was dead-lettered: ${deadLetterReason}, ${deadLetterErrorDescription}`,
      );
  }

  /** How many dead letters are as described. */
  async count(isMeant: (message: ServiceBusReceivedMessage) => boolean): Promise<number> {
    return (await this.#peekAll()).filter(isMeant).length;
  }

  async #peekAll(): Promise<ServiceBusReceivedMessage[]> {
    const found: ServiceBusReceivedMessage[] = [];
    for (const queue of queues) found.push(...(await this.#peek(queue)));
    return found;
  }

  async #peek(queue: string): Promise<ServiceBusReceivedMessage[]> {
    const client = new ServiceBusClient(this.#connectionString());
    const receiver = client.createReceiver(queue, { subQueueType: "deadLetter" });
    const found: ServiceBusReceivedMessage[] = [];
    for (
      let page = await receiver.peekMessages(100);
      page.length > 0;
      page = await receiver.peekMessages(100)
    )
      found.push(...page);
    await client.close();
    return found;
  }
}
