import { ServiceBusClient } from "@azure/service-bus";
import { pause } from "waybill-harness/waiting.js";
import { keys } from "./keys.js";
import { processTime } from "./process-time.js";

/** A message that was sent, received and completed. */
export interface RoundTrip {
  readonly wallMs: number;
  /** The same without the time for which the server, or the client, waited for a processor of this machine. */
  readonly ms: number;
}

/** The results of a client. */
export interface Work {
  readonly roundTrips: readonly RoundTrip[];
  readonly lost: readonly string[];
  readonly errors: readonly string[];
}

/** A client of the official SDK that continuously sends, receives and completes, and records what it sent. */
export class OfficialClient {
  readonly #client: ServiceBusClient;
  readonly #sent = new Set<string>();
  readonly #serverPid: number;
  #count = 0;

  constructor(port: number, serverPid: number) {
    this.#serverPid = serverPid;
    const { name, key } = keys.root;
    this.#client = new ServiceBusClient(
      `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`,
      { retryOptions: { maxRetries: 1, timeoutInMs: 20_000 } },
    );
  }

  /** Works until it has to end, one message after the other. */
  async work(isOver: () => boolean): Promise<Work> {
    const sender = this.#client.createSender("health");
    const receiver = this.#client.createReceiver("health");
    const roundTrips: RoundTrip[] = [];
    const errors: string[] = [];
    do {
      const messageId = `m${this.#count++}`;
      const startMs = performance.now();
      const waitedBeforeMs = this.#waitedMs();
      try {
        await sender.sendMessages({ body: messageId, messageId });
        this.#sent.add(messageId);
        const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
        if (message === undefined) continue;
        await receiver.completeMessage(message);
        this.#sent.delete(String(message.messageId));
        const wallMs = performance.now() - startMs;
        roundTrips.push({ wallMs, ms: Math.max(0, wallMs - (this.#waitedMs() - waitedBeforeMs)) });
      } catch (error) {
        errors.push(String(error));
      }
      await pause(5);
    } while (!isOver());
    try {
      await receiver.close();
      await sender.close();
      return { roundTrips, lost: await this.#missing(), errors };
    } catch (error) {
      return { roundTrips, lost: [], errors: [...errors, String(error)] };
    }
  }

  #waitedMs(): number {
    return processTime(process.pid).waitedMs + processTime(this.#serverPid).waitedMs;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Messages that were sent and neither received nor found in the queue. */
  async #missing(): Promise<string[]> {
    if (this.#sent.size === 0) return [];
    const receiver = this.#client.createReceiver("health", { receiveMode: "receiveAndDelete" });
    for (const message of await receiver.receiveMessages(1000, { maxWaitTimeInMs: 500 })) {
      this.#sent.delete(String(message.messageId));
    }
    await receiver.close();
    const missing = [...this.#sent];
    this.#sent.clear();
    return missing;
  }
}
