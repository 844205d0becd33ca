import { isDeepStrictEqual } from "node:util";
import type { DeserializationReport } from "@waybill/core";
import { type Fate, type Shipment, shipmentNumber } from "./plan.js";

/** How many messages of one era, sent in one way, had one outcome. */
export interface Tally {
  readonly era: string;
  readonly treatment: string;
  readonly fate: Fate;
  readonly count: number;
}

/** The result of an audit. */
export interface AuditResult {
  readonly tallies: readonly Tally[];
  readonly decodedCount: number;
  readonly deadLetteredCount: number;
  /** Everything that was not as planned, one sentence each; the first hundred. */
  readonly findings: readonly string[];
  /** How many findings there were. */
  readonly findingCount: number;
}

/** A message that reached the handler. */
export interface DecodedMessage {
  readonly messageId?: unknown;
  readonly body: unknown;
  readonly deserialization: DeserializationReport;
}

/** A message in the dead-letter queue. */
export interface DeadLetteredMessage {
  readonly messageId?: unknown;
  readonly body: unknown;
  readonly deadLetterReason?: string | undefined;
}

const maxFindings = 100;

/**
 * Compares what arrived with what was planned: each message once, decoded by the planned serializer to exactly its source, or
 * dead-lettered for the planned reason with exactly the bytes that were sent.
 */
export class Audit {
  readonly #count: number;
  readonly #plan: (number: number) => Shipment;
  readonly #arrivals: Uint8Array;
  readonly #tallies = new Map<string, Tally>();
  readonly #findings: string[] = [];
  #findingCount = 0;
  #decodedCount = 0;
  #deadLetteredCount = 0;

  constructor(count: number, plan: (number: number) => Shipment) {
    this.#count = count;
    this.#plan = plan;
    this.#arrivals = new Uint8Array(count);
  }

  /** Adds a message that reached the handler. */
  decoded({ messageId, body, deserialization }: DecodedMessage): void {
    this.#decodedCount++;
    const shipment = this.#arrived(messageId);
    if (shipment === undefined) return;
    const { serializer, position } = deserialization;
    this.#met(shipment, { status: "decoded", serializer: serializer ?? "nobody", position });
    if (!isDeepStrictEqual(body, shipment.webhook.payload))
      this.#find(`${messageId}: the decoded value differs from its source.`);
  }

  /** Adds a message from the dead-letter queue, and the bytes that were sent. */
  deadLettered({ messageId, body, deadLetterReason }: DeadLetteredMessage, sent: unknown): void {
    this.#deadLetteredCount++;
    const shipment = this.#arrived(messageId);
    if (shipment === undefined) return;
    const reason = deadLetterReason as (Fate & { status: "dead-lettered" })["reason"];
    this.#met(shipment, { status: "dead-lettered", reason });
    if (!isDeepStrictEqual(bytesOf(body), bytesOf(sent)))
      this.#find(`${messageId}: the dead-lettered body differs from what was sent.`);
  }

  /** Adds an error that the plan does not expect. */
  failed(error: unknown): void {
    this.#find(error instanceof Error ? error.message : "A value that is not an error was thrown.");
  }

  /** Looks for what never arrived and sums up. */
  close(): AuditResult {
    const missing = this.#arrivals.reduce((count, arrivals) => count + (arrivals === 0 ? 1 : 0), 0);
    if (missing > 0)
      this.#find(
        `${missing} messages never arrived, the first of them webhook-${this.#arrivals.indexOf(0)}.`,
      );
    return {
      tallies: [...this.#tallies.values()],
      decodedCount: this.#decodedCount,
      deadLetteredCount: this.#deadLetteredCount,
      findings: this.#findings,
      findingCount: this.#findingCount,
    };
  }

  #arrived(messageId: unknown): Shipment | undefined {
    const number = shipmentNumber(messageId);
    if (number === undefined || number >= this.#count) {
      this.#find("A message arrived that was never sent.");
      return undefined;
    }
    const arrivals = Math.min((this.#arrivals[number] ?? 0) + 1, 2);
    this.#arrivals[number] = arrivals;
    if (arrivals > 1) this.#find(`webhook-${number}: arrived more than once.`);
    return this.#plan(number);
  }

  #met({ messageId, era, treatment, fate: planned }: Shipment, fate: Fate): void {
    if (!isDeepStrictEqual(fate, planned))
      this.#find(`${messageId}: ${describeFate(fate)}, planned was: ${describeFate(planned)}.`);
    const key = [era.title, treatment.title, describeFate(fate)].join();
    const count = (this.#tallies.get(key)?.count ?? 0) + 1;
    this.#tallies.set(key, { era: era.title, treatment: treatment.title, fate, count });
  }

  #find(finding: string): void {
    this.#findingCount++;
    if (this.#findings.length < maxFindings) this.#findings.push(finding);
  }
}

function describeFate(fate: Fate): string {
  return fate.status === "decoded"
    ? `decoded by ${fate.serializer} at position ${fate.position}`
    : `dead-lettered with ${fate.reason}`;
}

function bytesOf(body: unknown): unknown {
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body;
}
