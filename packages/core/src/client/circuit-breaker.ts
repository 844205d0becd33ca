import type { DeserializationReport } from "../deserialization/report.js";
import type { CircuitBreakerEvent, CircuitState, MessageFormat } from "./circuit-breaker-event.js";
import type { ResolvedCircuitBreakerOptions } from "./circuit-breaker-options.js";

/** Keeps a sender of ever new message types from filling the memory. Only formats that decoded are remembered. */
const mostCircuits = 1_000;

/**
 * Tells a poison message from a broken consumer. It remembers by message type and format what decoded; when such a format now fails
 * above a rate its circuit opens, and its messages are to be held instead of dead-lettered until one of them decodes again. It knows
 * neither time nor messages: whoever receives lets it probe.
 */
export class CircuitBreaker {
  readonly options: ResolvedCircuitBreakerOptions;
  readonly #entityPath: string;
  readonly #now: () => number;
  readonly #onEvent: (event: CircuitBreakerEvent) => void;
  /** By format, then by message type. */
  readonly #circuits = new Map<string, Map<string, Circuit>>();
  readonly #open = new Set<Circuit>();
  #size = 0;
  #isProbing = false;
  #last: Circuit | undefined;

  constructor(
    options: ResolvedCircuitBreakerOptions,
    entityPath: string,
    now: () => number,
    onEvent: (event: CircuitBreakerEvent) => void,
  ) {
    this.options = options;
    this.#entityPath = entityPath;
    this.#now = now;
    this.#onEvent = onEvent;
    if (options.decodedBefore === "all") return;
    for (const { messageType, format } of options.decodedBefore) this.#add(messageType ?? "", format ?? "");
  }

  /** Whether any format's messages are being held. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Notes that a body was read. While probing, that closes its circuit. */
  onDecoded(messageType = "", report: DeserializationReport): void {
    const format = formatOf(report);
    // Most messages are like the one before.
    let circuit = this.#last;
    if (circuit?.format !== format || circuit.messageType !== messageType) {
      circuit = this.#circuits.get(format)?.get(messageType) ?? this.#add(messageType, format);
      this.#last = circuit;
    }
    if (!circuit.isOpen) circuit.note(0);
    else if (this.#isProbing) this.#close(circuit);
  }

  /** Notes that nobody could read a body; tells whether its message is to be held instead of dead-lettered. */
  onUndeserializable(messageType = "", report: DeserializationReport): boolean {
    const format = formatOf(report);
    let circuit = this.#circuits.get(format)?.get(messageType);
    if (circuit === undefined) {
      if (this.options.decodedBefore !== "all") return false;
      circuit = this.#add(messageType, format);
    }
    if (circuit.isOpen) return true;
    const { windowSize, failureRate, windowDurationInMs } = this.options;
    const nowMs = this.#now();
    if (nowMs - circuit.failedAtMs > windowDurationInMs) circuit.clear();
    circuit.failedAtMs = nowMs;
    circuit.note(1);
    if (circuit.failures < failureRate * windowSize) return false;
    circuit.isOpen = true;
    this.#open.add(circuit);
    this.#tell(circuit, "open");
    return true;
  }

  /** Lets the next decoded message of an open circuit close it. */
  beginProbe(): void {
    this.#isProbing = true;
    for (const circuit of this.#open) this.#tell(circuit, "halfOpen");
  }

  endProbe(): void {
    this.#isProbing = false;
  }

  #close(circuit: Circuit): void {
    circuit.isOpen = false;
    this.#open.delete(circuit);
    this.#tell(circuit, "closed");
    circuit.clear();
  }

  #add(messageType: string, format: string): Circuit {
    if (this.#size >= mostCircuits) this.#forgetClosed();
    const circuit = new Circuit(messageType, format, this.options.windowSize);
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

  #tell({ messageType, format, failures }: Circuit, state: CircuitState): void {
    const named = { messageType: messageType || undefined, format: format || undefined } as MessageFormat;
    this.#onEvent({ ...named, state, failures, entityPath: this.#entityPath });
  }
}

/** The last outcomes of one message type in one format. */
class Circuit {
  readonly messageType: string;
  readonly format: string;
  isOpen = false;
  failures = 0;
  failedAtMs = Number.NEGATIVE_INFINITY;
  /** A ring; 1 is a failure. */
  readonly #outcomes: Uint8Array;
  #next = 0;

  constructor(messageType: string, format: string, windowSize: number) {
    this.messageType = messageType;
    this.format = format;
    this.#outcomes = new Uint8Array(windowSize);
  }

  note(outcome: 0 | 1): void {
    const outcomes = this.#outcomes;
    this.failures += outcome - outcomes[this.#next]!;
    outcomes[this.#next] = outcome;
    this.#next = this.#next + 1 === outcomes.length ? 0 : this.#next + 1;
  }

  clear(): void {
    this.#outcomes.fill(0);
    this.failures = 0;
  }
}

/** The serializer that the content type names, else the content type itself: the same whether or not the body could be read. */
function formatOf({ declared, contentType = "" }: DeserializationReport): string {
  return declared ?? (contentType.length > 128 ? contentType.slice(0, 128) : contentType);
}
