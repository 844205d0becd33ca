import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type {
  CircuitBreakerEvent,
  CircuitState,
  MessageFormat,
} from "../diagnostics/circuit-breaker-event.js";
import { WaybillError } from "../errors/error.js";
import type { DeserializationReport } from "../message/report.js";
import { Circuit, EntityRun } from "./circuit.js";
import type { ResolvedCircuitBreakerOptions } from "./circuit-breaker-options.js";
import type { LookAhead, OnReadable } from "./look-ahead.js";

/** Keeps a sender of ever new message types from filling the memory. Only formats that decoded, and those that are open, are remembered. */
const mostCircuits = 1_000;

/** What a circuit breaker works with. */
export interface CircuitBreakerSettings {
  readonly options: ResolvedCircuitBreakerOptions;
  readonly entityPath: string;
  readonly now: () => number;
  readonly onEvent: (event: CircuitBreakerEvent) => void;
  /** Looks at the messages that wait in the entity. */
  readonly createLookAhead: (onReadable: OnReadable) => LookAhead;
}

/** Is told of a circuit that closed: its messages are read again, and dead-lettered if that fails. */
export type OnCircuitClosed = (circuit: Circuit) => void;

/**
 * Tells a faulty producer from a broken consumer, for all receivers of one entity. It remembers by message type and format what decoded;
 * when such a format fails from one moment on, or several do, its circuit opens and its messages are to be held instead of
 * dead-lettered until one of them decodes. As long as nothing has decoded at all, it looks at what waits before a message is given up:
 * if nothing of that can be read either, circuits open from the start.
 */
export class CircuitBreaker {
  readonly options: ResolvedCircuitBreakerOptions;
  readonly lookAhead: LookAhead;
  readonly #settings: CircuitBreakerSettings;
  /** By format, then by message type. */
  readonly #circuits = new Map<string, Map<string, Circuit>>();
  readonly #open = new Set<Circuit>();
  readonly #run = new EntityRun();
  readonly #listeners = new Set<OnCircuitClosed>();
  /** How often a circuit opened: what was being read at that moment does not close it. */
  openings = 0;
  #size = 0;
  #decodedCount = 0;
  #last: Circuit | undefined;
  /** How many messages were dead-lettered before any decoded. */
  #deadLetteredUnproven = 0;
  #isColdOpen = false;
  #unread = 0;
  #nextProbeAtMs = Number.NEGATIVE_INFINITY;
  #surveying: Promise<number> | undefined;
  #advice: string | undefined;

  constructor(settings: CircuitBreakerSettings) {
    const { options, createLookAhead } = settings;
    this.options = options;
    this.#settings = settings;
    this.lookAhead = createLookAhead(this.#onReadable);
    if (options.decodedBefore === "all") return;
    for (const { messageType = "", format = "" } of options.decodedBefore) {
      this.#add(messageType, format).hasDecoded = true;
    }
  }

  /** Whether any format's messages are being held. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The error with what would read the messages, as long as nothing was ever read and therefore nothing is dead-lettered. */
  explain(error: WaybillError): WaybillError {
    if (this.#isProven || !this.#isColdOpen || error.code !== "deserialization-failed") return error;
    const advice = this.#advice === undefined ? "" : ` ${this.#advice}`;
    const { entityPath } = this.#settings;
    return new WaybillError(
      "deserialization-failed",
      `Nothing that waits can be read, so nothing is dead-lettered.${advice}`,
      { entityPath, messageId: error.messageId, cause: error },
    );
  }

  /** Whether anything was ever read: without that, nothing is known of the consumer. */
  get #isProven(): boolean {
    return this.#decodedCount > 0;
  }

  /** Calls the listener whenever a circuit closes; returns what ends that. */
  onClosed(listener: OnCircuitClosed): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes that a body was read, whose reading began after so many openings. That closes its circuit. */
  onDecoded(delivered: DeliveredMessage, report: DeserializationReport, openings = this.openings): void {
    this.#decodedCount += 1;
    this.#run.decoded();
    const messageType = typeOf(delivered, report);
    const format = formatOf(report);
    // Most messages are like the one before.
    let circuit = this.#last;
    if (circuit?.format !== format || circuit.messageType !== messageType) {
      circuit = this.#find(messageType, format) ?? this.#add(messageType, format);
      this.#last = circuit;
    }
    if (!circuit.isOpen) circuit.decoded();
    else if (openings >= circuit.opening) this.#close(circuit);
  }

  /** Notes that a body cannot be read; returns the circuit by which its message is to be held, undefined to dead-letter it. */
  onUnreadable(delivered: DeliveredMessage, report: DeserializationReport): Awaitable<Circuit | undefined> {
    const messageType = typeOf(delivered, report);
    const format = formatOf(report);
    const circuit = this.#find(messageType, format);
    if (circuit?.isOpen) return this.#hold(circuit, delivered);
    if (circuit?.isPoison(delivered.sequenceNumber)) {
      circuit.failedAsExpected();
      return undefined;
    }
    if (!this.#isProven) return this.#whileUnproven(delivered, report);
    const opened = this.#count(messageType, format);
    return opened === undefined ? undefined : this.#hold(opened, delivered);
  }

  /**
   * The same for a message that was asked for, by a call of `receiveMessages`: only what speaks for a consumer that can read nothing keeps it
   * from being dead-lettered.
   */
  onUnreadableByCall(
    delivered: DeliveredMessage,
    report: DeserializationReport,
  ): Awaitable<Circuit | undefined> {
    const circuit = this.#find(typeOf(delivered, report), formatOf(report));
    if (circuit?.isOpen) return this.#hold(circuit, delivered);
    return this.#isProven ? undefined : this.#whileUnproven(delivered, report);
  }

  /** The circuit by which a message is held; undefined once it has closed. */
  openCircuitOf(delivered: DeliveredMessage, report: DeserializationReport): Circuit | undefined {
    const circuit = this.#find(typeOf(delivered, report), formatOf(report));
    return circuit?.isOpen ? circuit : undefined;
  }

  /** What is held is about to be read again. Circuits whose time is over while others were read count as poison and close. */
  beginProbe(): void {
    const { now, options } = this.#settings;
    if (now() < this.#nextProbeAtMs) return;
    // Several receivers of the entity probe, each what it holds.
    this.#nextProbeAtMs = now() + options.probeIntervalInMs;
    for (const circuit of [...this.#open]) {
      const isOver = now() - circuit.openedAtMs >= options.maxHoldDurationInMs;
      if (isOver && this.#decodedCount > circuit.decodedBefore) this.#giveUp(circuit);
      else this.#report(circuit, "halfOpen");
    }
  }

  /** Until something decodes, messages are given up only when what waits behind them says nothing against the consumer. */
  async #whileUnproven(
    delivered: DeliveredMessage,
    report: DeserializationReport,
  ): Promise<Circuit | undefined> {
    const messageType = typeOf(delivered, report);
    const format = formatOf(report);
    if (!this.#isColdOpen) {
      this.#surveying ??= this.#survey(delivered.sequenceNumber);
      const unread = this.#deadLetteredUnproven + Math.max(await this.#surveying, 1);
      if (this.#isProven) return this.onUnreadable(delivered, report);
      if (unread < this.options.minFailures) {
        const counted = this.#count(messageType, format);
        if (counted !== undefined) return this.#hold(counted, delivered);
        this.#deadLetteredUnproven += 1;
        return undefined;
      }
      this.#isColdOpen = true;
      this.#unread = unread;
    }
    const circuit = this.#find(messageType, format) ?? this.#add(messageType, format);
    if (!circuit.isOpen) {
      circuit.failures = this.#unread;
      this.#openCircuit(circuit);
    }
    return this.#hold(circuit, delivered);
  }

  #hold(circuit: Circuit, { sequenceNumber }: DeliveredMessage): Circuit {
    circuit.hold(sequenceNumber);
    return circuit;
  }

  /** How many of the messages that wait cannot be read, as far as that can be seen. */
  async #survey(from: bigint): Promise<number> {
    try {
      const { messageCount, advice } = await this.lookAhead.survey(from);
      this.#advice = advice;
      return messageCount;
    } catch {
      // Where nothing can be peeked, what is received must do.
      return 0;
    } finally {
      this.#surveying = undefined;
    }
  }

  /** What was never read is poison as ever. */
  #count(messageType: string, format: string): Circuit | undefined {
    let circuit = this.#find(messageType, format);
    if (circuit === undefined && this.options.decodedBefore === "all") {
      circuit = this.#add(messageType, format);
      circuit.hasDecoded = true;
    }
    if (circuit === undefined || !circuit.hasDecoded) return undefined;
    const isNews = circuit.failed(this.#settings.now(), this.options);
    const isBroken = this.#run.failed(circuit, this.options);
    if (!isNews && !isBroken) return undefined;
    this.#openCircuit(circuit);
    return circuit;
  }

  /** A waiting message that can be read shows that the ones of its kind before it are poison. */
  readonly #onReadable: OnReadable = (delivered, report) => {
    this.onDecoded(delivered, report);
    const circuit = this.#find(typeOf(delivered, report), formatOf(report));
    if (circuit !== undefined && delivered.sequenceNumber > circuit.poisonBefore) {
      circuit.poisonBefore = delivered.sequenceNumber;
    }
  };

  #openCircuit(circuit: Circuit): void {
    this.openings += 1;
    circuit.open(this.#settings.now(), this.openings, this.#decodedCount);
    this.#open.add(circuit);
    this.#report(circuit, "open");
  }

  #close(circuit: Circuit): void {
    circuit.close();
    this.#open.delete(circuit);
    this.#report(circuit, "closed");
    circuit.decoded();
    for (const listener of this.#listeners) listener(circuit);
  }

  #giveUp(circuit: Circuit): void {
    circuit.close();
    this.#open.delete(circuit);
    this.#report(circuit, "closed");
    circuit.giveUp();
    for (const listener of this.#listeners) listener(circuit);
  }

  #find(messageType: string, format: string): Circuit | undefined {
    return this.#circuits.get(format)?.get(messageType);
  }

  #add(messageType: string, format: string): Circuit {
    if (this.#size >= mostCircuits) this.#forgetClosed();
    const circuit = new Circuit(messageType, format);
    const ofFormat = this.#circuits.get(format);
    if (ofFormat === undefined) this.#circuits.set(format, new Map([[messageType, circuit]]));
    else ofFormat.set(messageType, circuit);
    this.#size += 1;
    return circuit;
  }

  #forgetClosed(): void {
    this.#circuits.clear();
    this.#last = undefined;
    this.#size = 0;
    for (const circuit of this.#open) {
      const ofFormat = this.#circuits.get(circuit.format) ?? new Map<string, Circuit>();
      this.#circuits.set(circuit.format, ofFormat.set(circuit.messageType, circuit));
      this.#size += 1;
    }
  }

  #report({ messageType, format, failures }: Circuit, state: CircuitState): void {
    const { entityPath, onEvent } = this.#settings;
    const named = { messageType: messageType || undefined, format: format || undefined } as MessageFormat;
    const advice = state === "open" && !this.#isProven ? this.#advice : undefined;
    onEvent({ ...named, state, failures, entityPath, ...(advice === undefined ? {} : { advice }) });
  }
}

function typeOf({ subject = "" }: DeliveredMessage, { messageType }: DeserializationReport): string {
  const type = messageType ?? subject;
  return type.length > 256 ? type.slice(0, 256) : type;
}

/** The serializer that the content type names, else the content type itself: the same whether or not the body could be read. */
function formatOf({ declared, contentType = "" }: DeserializationReport): string {
  return declared ?? (contentType.length > 128 ? contentType.slice(0, 128) : contentType);
}
