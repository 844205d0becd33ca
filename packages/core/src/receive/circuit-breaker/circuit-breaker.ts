import { required } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import type {
  CircuitBreakerEvent,
  CircuitState,
  MessageFormat,
} from "../../diagnostics/circuit-breaker-event.js";
import { WaybillError } from "../../errors/error.js";
import type { DeserializationReport } from "../../message/report.js";
import { Circuit, EntityRun } from "./circuit.js";
import type { ResolvedCircuitBreakerOptions } from "./circuit-breaker-options.js";
import type { LookAhead, OnReadable } from "./look-ahead.js";

/** Protects the memory from a sender that invents message types without limit. Only formats that decoded and open circuits are remembered. */
const maxCircuits = 1_000;

/** Dependencies of a circuit breaker. */
export interface CircuitBreakerSettings {
  readonly options: ResolvedCircuitBreakerOptions;
  readonly entityPath: string;
  readonly now: () => number;
  readonly onEvent: (event: CircuitBreakerEvent) => void;
  readonly createLookAhead: (onReadable: OnReadable) => LookAhead;
}

/** Called when a circuit closes, so that its messages are read again. */
export type OnCircuitClosed = (circuit: Circuit) => void;

/**
 * Distinguishes a faulty producer from a broken consumer, for all receivers of one entity. It remembers what decoded by message type and
 * format; when one or several of these suddenly fail, their circuits open, and their messages are held instead of dead-lettered until one
 * of them decodes. Until anything has decoded, it peeks at the waiting messages before the first message is dead-lettered: if none of them
 * can be read either, circuits open at once.
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
  /** Number of openings; a read that began before the latest opening does not close the circuit. */
  openings = 0;
  #size = 0;
  #decodedCount = 0;
  #last: Circuit | undefined;
  /** How many messages were dead-lettered before any decoded. */
  #deadLetteredUnproven = 0;
  /** How many messages could not be read when none of the waiting ones could: from then on, circuits open at the first failure. */
  #unread: number | undefined;
  #nextProbeAtMs = Number.NEGATIVE_INFINITY;
  #surveying: Promise<number> | undefined;
  #advice: string | undefined;

  constructor(settings: CircuitBreakerSettings) {
    const { options, createLookAhead } = settings;
    this.options = options;
    this.#settings = settings;
    this.lookAhead = createLookAhead(this.#onReadable);
    // Nothing can be listed in advance: a type counts as one that decoded when it fails for the first time, in `#recordFailure`.
    if (options.decodedBefore === "all") return;
    for (const { messageType = "", format = "" } of options.decodedBefore) {
      this.#add(messageType, format).hasDecoded = true;
    }
  }

  /** Whether any circuit is open. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Adds advice to the error while nothing was decoded yet and dead-lettering is suspended. */
  explain(error: WaybillError): WaybillError {
    if (this.#isProven || this.#unread === undefined || error.code !== "deserialization-failed") return error;
    const advice = this.#advice === undefined ? "" : ` ${this.#advice}`;
    const { entityPath } = this.#settings;
    return new WaybillError(
      "deserialization-failed",
      `Nothing that waits can be read, so nothing is dead-lettered.${advice}`,
      { entityPath, messageId: error.messageId, cause: error },
    );
  }

  /** Whether this consumer has decoded anything. */
  get #isProven(): boolean {
    return this.#decodedCount > 0;
  }

  /** Calls the listener whenever a circuit closes; returns the function that removes it. */
  onCircuitClosed(listener: OnCircuitClosed): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Closes the circuit of a body that was decoded. `openings`: the counter when reading began. */
  onDecoded(delivered: DeliveredMessage, report: DeserializationReport, openings = this.openings): void {
    // Also while circuits are open: whether others decode tells later who is at fault.
    this.#decodedCount++;
    this.#run.decoded();
    const messageType = typeOf(delivered, report);
    const format = formatOf(report);
    // Most messages are like the one before.
    let circuit = this.#last;
    if (circuit?.format !== format || circuit.messageType !== messageType) {
      circuit = this.#find(messageType, format) ?? this.#add(messageType, format);
      this.#last = circuit;
    }
    // A read that began before the circuit opened proves nothing about what broke since.
    if (circuit.opening === undefined) circuit.decoded();
    else if (openings >= circuit.opening.number) this.#close(circuit, true);
  }

  /** Records an undeserializable body; returns the circuit that holds its message, or undefined to dead-letter it. */
  decide(delivered: DeliveredMessage, report: DeserializationReport): Awaitable<Circuit | undefined> {
    const circuit = this.#findOf(delivered, report);
    if (circuit?.isOpen) return this.#hold(circuit, delivered);
    // Asked before the counters: messages that came out of a circuit all at once would open it again.
    if (circuit?.isFaulty(delivered.sequenceNumber)) {
      circuit.failedAsExpected();
      return undefined;
    }
    if (!this.#isProven) return this.#whileUnproven(delivered, report);
    return this.#recordFailure(delivered, report);
  }

  /**
   * The same for a message received by a call such as `receiveMessages`: it is held only if its circuit is open or this consumer has decoded
   * nothing so far.
   */
  decideForCall(delivered: DeliveredMessage, report: DeserializationReport): Awaitable<Circuit | undefined> {
    const circuit = this.#findOf(delivered, report);
    if (circuit?.isOpen) return this.#hold(circuit, delivered);
    return this.#isProven ? undefined : this.#whileUnproven(delivered, report);
  }

  /** The circuit that holds a message; undefined once it has closed. */
  openCircuitOf(delivered: DeliveredMessage, report: DeserializationReport): Circuit | undefined {
    const circuit = this.#findOf(delivered, report);
    return circuit?.isOpen ? circuit : undefined;
  }

  /**
   * Called before held messages are read again. Circuits open longer than `maxHoldDurationInMs` close, and their messages are dead-lettered,
   * if other messages decoded meanwhile.
   */
  beginProbe(): void {
    const { now, options } = this.#settings;
    if (now() < this.#nextProbeAtMs) return;
    // Each receiver of the entity probes the messages it holds.
    this.#nextProbeAtMs = now() + options.probeIntervalInMs;
    for (const circuit of [...this.#open]) {
      const { atMs, decodedBefore } = required(circuit.opening, "The opening of an open circuit");
      const isOver = now() - atMs >= options.maxHoldDurationInMs;
      // While nothing else decodes, the whole consumer may be broken, and dead-lettering would empty its queue.
      if (isOver && this.#decodedCount > decodedBefore) this.#close(circuit, false);
      else this.#report(circuit, "halfOpen");
    }
  }

  /** Until something decodes, a message is dead-lettered only if the waiting messages do not suggest a broken consumer. */
  async #whileUnproven(
    delivered: DeliveredMessage,
    report: DeserializationReport,
  ): Promise<Circuit | undefined> {
    let unread = this.#unread;
    if (unread === undefined) {
      // Messages that fail at the same time share one look.
      this.#surveying ??= this.#survey(delivered.sequenceNumber);
      // By now others may have taken what waited: this message still counts.
      unread = this.#deadLetteredUnproven + Math.max(await this.#surveying, 1);
      // The look found a message that can be read, so this one is judged by its own type and format.
      if (this.#isProven) return this.decide(delivered, report);
      if (unread < this.options.minFailures) {
        // It opens nothing yet: no type has failed more often than all of them together.
        this.#recordFailure(delivered, report);
        this.#deadLetteredUnproven++;
        return undefined;
      }
      this.#unread = unread;
    }
    const circuit = this.#findOf(delivered, report) ?? this.#addOf(delivered, report);
    // Of messages that waited for the same look, the first opens the circuit.
    if (!circuit.isOpen) {
      circuit.failures = unread;
      this.#openCircuit(circuit);
    }
    return this.#hold(circuit, delivered);
  }

  #hold(circuit: Circuit, { sequenceNumber }: DeliveredMessage): Circuit {
    circuit.hold(sequenceNumber);
    return circuit;
  }

  /** How many waiting messages were found undeserializable; one, the message that was received, where peeking fails. */
  async #survey(from: bigint): Promise<number> {
    try {
      const { messageCount, advice } = await this.lookAhead.survey(from, this.options.minFailures);
      this.#advice = advice;
      return messageCount;
    } catch {
      // Without peeking, only received messages count.
      return 1;
    } finally {
      // The next message looks again, because others may wait by then.
      this.#surveying = undefined;
    }
  }

  /** Returns the circuit, which holds the message, if this failure opens it. Formats that never decoded are dead-lettered as usual. */
  #recordFailure(delivered: DeliveredMessage, report: DeserializationReport): Circuit | undefined {
    let circuit = this.#findOf(delivered, report);
    if (circuit === undefined && this.options.decodedBefore === "all") {
      circuit = this.#addOf(delivered, report);
      circuit.hasDecoded = true;
    }
    if (circuit === undefined || !circuit.hasDecoded) return undefined;
    const isImprobable = circuit.failed(this.#settings.now(), this.options);
    const isBroken = this.#run.failed(circuit, this.options);
    if (!isImprobable && !isBroken) return undefined;
    this.#openCircuit(circuit);
    return this.#hold(circuit, delivered);
  }

  /** A waiting message that can be read shows that earlier failures of its type and format are the producer's fault. */
  readonly #onReadable: OnReadable = (delivered, report) => {
    this.onDecoded(delivered, report);
    const circuit = required(this.#findOf(delivered, report), "The circuit of a decoded message");
    if (delivered.sequenceNumber > circuit.faultyBefore) circuit.faultyBefore = delivered.sequenceNumber;
  };

  #openCircuit(circuit: Circuit): void {
    this.openings++;
    circuit.opening = {
      atMs: this.#settings.now(),
      number: this.openings,
      decodedBefore: this.#decodedCount,
    };
    this.#open.add(circuit);
    this.#report(circuit, "open");
  }

  /** Closes a circuit, because a message of it decoded, or because it was open for too long. */
  #close(circuit: Circuit, hasDecoded: boolean): void {
    circuit.close();
    this.#open.delete(circuit);
    this.#report(circuit, "closed");
    if (hasDecoded) circuit.decoded();
    // Nothing shows any more that this format can be read, so its next failures must not open it again.
    else circuit.forgetDecoded();
    for (const listener of this.#listeners) listener(circuit);
  }

  #findOf(delivered: DeliveredMessage, report: DeserializationReport): Circuit | undefined {
    return this.#find(typeOf(delivered, report), formatOf(report));
  }

  #addOf(delivered: DeliveredMessage, report: DeserializationReport): Circuit {
    return this.#add(typeOf(delivered, report), formatOf(report));
  }

  #find(messageType: string, format: string): Circuit | undefined {
    return this.#circuits.get(format)?.get(messageType);
  }

  #add(messageType: string, format: string): Circuit {
    if (this.#size >= maxCircuits) this.#forgetClosed();
    return this.#put(new Circuit(messageType, format));
  }

  #forgetClosed(): void {
    this.#circuits.clear();
    this.#last = undefined;
    this.#size = 0;
    for (const circuit of this.#open) this.#put(circuit);
  }

  #put(circuit: Circuit): Circuit {
    const ofFormat = this.#circuits.get(circuit.format) ?? new Map<string, Circuit>();
    this.#circuits.set(circuit.format, ofFormat.set(circuit.messageType, circuit));
    this.#size++;
    return circuit;
  }

  #report({ messageType, format, failures }: Circuit, state: CircuitState): void {
    const { entityPath, onEvent } = this.#settings;
    const named = { messageType: messageType || undefined, format: format || undefined } as MessageFormat;
    const advice = state === "open" && !this.#isProven ? this.#advice : undefined;
    onEvent({ ...named, state, failures, entityPath, ...(advice === undefined ? {} : { advice }) });
  }
}

function typeOf({ subject = "" }: DeliveredMessage, { messageType }: DeserializationReport): string {
  return (messageType ?? subject).slice(0, 256);
}

/** The serializer that the content type names, else the content type itself, so that readable and unreadable bodies share a circuit. */
function formatOf({ declared, contentType = "" }: DeserializationReport): string {
  return declared ?? contentType.slice(0, 128);
}
