import type { Attributes, Counter, Histogram, MeterProvider } from "@opentelemetry/api";
import type { DeserializeEvent, DiagnosticEvent, MessageFacts } from "@waybill/core/diagnostics";
import { decisiveAttempt } from "@waybill/core/pipeline";
import { errorType, names, operationAttributes, operations, scopeName } from "./attributes.js";

/** In seconds. Source: semantic conventions, "Messaging metrics". */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** In seconds. Smaller, because reading a body takes microseconds where handling takes milliseconds. */
const readingBoundaries = [
  0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.1, 1,
];

/** The metrics of a client. */
export class Instruments {
  readonly #operationDuration: Histogram;
  readonly #processDuration: Histogram;
  readonly #sent: Counter;
  readonly #consumed: Counter;
  readonly #deserialized: Counter;
  readonly #deserializationDuration: Histogram;
  readonly #unread: Counter;
  readonly #stalls: Counter;
  readonly #maxMessageTypes: number;
  readonly #messageTypes = new Set<string>();

  constructor(provider: MeterProvider, maxMessageTypes: number) {
    const meter = provider.getMeter(scopeName);
    const seconds = { unit: "s", advice: { explicitBucketBoundaries } };
    this.#maxMessageTypes = maxMessageTypes;
    this.#operationDuration = meter.createHistogram("messaging.client.operation.duration", {
      ...seconds,
      description: "Duration of sending, receiving, settling and renewing locks.",
    });
    this.#processDuration = meter.createHistogram("messaging.process.duration", {
      ...seconds,
      description: "Duration of handlers.",
    });
    this.#sent = meter.createCounter("messaging.client.sent.messages", {
      unit: "{message}",
      description: "Messages sent or scheduled, including failures.",
    });
    this.#consumed = meter.createCounter("messaging.client.consumed.messages", {
      unit: "{message}",
      description: "Messages delivered to the client.",
    });
    this.#deserialized = meter.createCounter("waybill.deserialization.messages", {
      unit: "{message}",
      description: "Bodies by message type, serializer, its position in the chain, and outcome.",
    });
    this.#deserializationDuration = meter.createHistogram("waybill.deserialization.duration", {
      unit: "s",
      advice: { explicitBucketBoundaries: readingBoundaries },
      description: "Duration of reading a body, including waiting for stores and registries.",
    });
    this.#unread = meter.createCounter("waybill.undeserializable.messages", {
      unit: "{message}",
      description: "Messages that could not be read, by what happened to them.",
    });
    this.#stalls = meter.createCounter("waybill.link.stalls", {
      unit: "{stall}",
      description: "Links that stalled while messages were waiting, and were reopened.",
    });
  }

  record(event: DiagnosticEvent): void {
    const { entityPath } = event;
    switch (event.type) {
      case "send":
      case "schedule":
      case "receive":
      case "receiveDeferred":
      case "peek":
      case "settle":
      case "renewLock": {
        const name = event.type === "settle" ? event.verb : event.type;
        const attributes = this.#attributes(name, entityPath, event.error);
        this.#operationDuration.record(event.durationInMs / 1000, attributes);
        if (event.type !== "send" && event.type !== "schedule") break;
        for (const message of event.messages)
          this.#sent.add(1, { ...attributes, [names.messageType]: this.#messageType(message) });
        break;
      }
      case "deserialize":
        this.#recordReading(event);
        break;
      case "process":
        this.#processDuration.record(event.durationInMs / 1000, {
          ...this.#attributes("process", entityPath, event.error),
          [names.messageType]: this.#messageType(event.message),
        });
        break;
      case "undeserializable":
        this.#unread.add(1, {
          ...this.#attributes("deserialize", entityPath),
          [names.messageType]: this.#messageType(event.message),
          [names.unreadDisposition]: event.disposition,
        });
        break;
      case "linkStalled":
        this.#stalls.add(1, {
          ...this.#attributes("receive", entityPath),
          [names.stallEvidence]: event.evidence,
        });
        break;
      default:
        event satisfies never;
    }
  }

  /** Counts delivered messages, because every one is read, whether a call or a subscription received it. */
  #recordReading({ entityPath, message, isPeeked, outcome, report }: DeserializeEvent): void {
    const attributes = {
      ...this.#attributes("deserialize", entityPath),
      [names.messageType]: this.#messageType(message),
      [names.serializer]: report.serializer,
      [names.position]: report.position,
      [names.outcome]: outcome,
      [names.reason]: outcome === "decoded" ? undefined : decisiveAttempt(report)?.reason,
    };
    this.#deserialized.add(1, attributes);
    if (report.durationInMs !== undefined)
      this.#deserializationDuration.record(report.durationInMs / 1000, attributes);
    if (isPeeked) return;
    this.#consumed.add(1, {
      ...this.#attributes("receive", entityPath),
      [names.messageType]: attributes[names.messageType],
    });
  }

  #attributes(operation: keyof typeof operations, entityPath: string, error?: unknown): Attributes {
    const attributes = operationAttributes(entityPath, operations[operation]);
    return error === undefined ? attributes : { ...attributes, [names.errorType]: errorType(error) };
  }

  #messageType({ messageType }: MessageFacts): string | undefined {
    if (messageType === undefined || this.#messageTypes.has(messageType)) return messageType;
    if (this.#messageTypes.size >= this.#maxMessageTypes) return "_other";
    this.#messageTypes.add(messageType);
    return messageType;
  }
}
