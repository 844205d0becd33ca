import { fileURLToPath } from "node:url";
import { Program } from "./program.js";
import type { TrialLedger } from "./trial-ledger.js";

interface ProducerLine {
  readonly number: number;
  readonly trying?: string;
  readonly sent?: string;
}

interface ConsumerLine {
  readonly id: string;
  readonly isRight: boolean;
}

/** Messages of every kind of body: one producer on the SDK, and three consumers, of which one and later two are on waybill. */
export class Events {
  readonly #ledger: TrialLedger;
  readonly #connectionString: () => string;
  readonly #rate: number;
  readonly #consumers: Program<ConsumerLine>[] = [];
  #producer: Program<ProducerLine> | undefined;
  #next = 1;

  constructor(ledger: TrialLedger, connectionString: () => string, rate: number) {
    this.#ledger = ledger;
    this.#connectionString = connectionString;
    this.#rate = rate;
  }

  /** Starts the producer and three consumers on the SDK. */
  start(): void {
    this.#consumers.push(this.#consumer("sdk"), this.#consumer("sdk"), this.#consumer("sdk"));
    this.#producer = this.#startProducer();
  }

  /** Replaces the oldest consumer by one on waybill. */
  async deployWaybill(): Promise<void> {
    this.#consumers.push(this.#consumer("waybill"));
    await this.#consumers.shift()?.stop();
  }

  /** Kills the newest consumer, and starts another of its kind. */
  async killConsumer(): Promise<void> {
    const killed = this.#consumers.pop();
    await killed?.kill();
    this.#consumers.push(this.#consumer(killed?.name === "waybill" ? "waybill" : "sdk"));
  }

  /** Kills the producer, and starts another that goes on behind it. */
  async killProducer(): Promise<void> {
    await this.#producer?.kill();
    this.#producer = this.#startProducer();
  }

  /** Whether all consumers on waybill are among the instances that announced themselves. */
  areAnnounced(instances: readonly string[]): boolean {
    return this.#consumers
      .filter(({ name }) => name === "waybill")
      .every((consumer) => consumer.isAmong(instances));
  }

  async stopProducing(): Promise<void> {
    await this.#producer?.stop();
  }

  /** Stops the consumers. */
  async stop(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()));
  }

  #startProducer(): Program<ProducerLine> {
    return this.#start("producer", "event-producer", [this.#next, this.#rate], (line: ProducerLine) => {
      this.#next = line.number + 1;
      if (line.trying !== undefined) this.#ledger.trying(line.trying);
      if (line.sent !== undefined) this.#ledger.sent(line.sent);
    });
  }

  #consumer(kind: "sdk" | "waybill"): Program<ConsumerLine> {
    return this.#start(kind, "event-consumer", [kind], ({ id, isRight }: ConsumerLine) =>
      this.#ledger.handled(id, isRight, `${kind}, any body`),
    );
  }

  #start<Line>(
    name: string,
    program: string,
    args: readonly (string | number)[],
    onLine: (line: Line) => void,
  ): Program<Line> {
    const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
    const env = { SERVICEBUS_CONNECTION_STRING: this.#connectionString() };
    const started = new Program(name, path, args, env, onLine);
    void started.exit.then((code) => {
      if (code !== null && code !== 0)
        this.#ledger.violation(
          `${program} ended with ${code}: ${started.complaints.join(" ").slice(0, 500)}`,
        );
    });
    return started;
  }
}
