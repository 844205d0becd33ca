import type { Tier } from "../entities/tier.js";
import type { WireDecoder } from "../messages/message.js";
import type { Clock } from "../timing/clock.js";

/** Options of a broker. */
export interface BrokerOptions {
  /** Default: the computer's clock. Tests pass a `createManualClock()`. */
  readonly clock?: Clock | undefined;
  /** Decodes messages that a front end stored in its own encoding; front ends set it through `setWireDecoder`. Default: none. */
  readonly wireDecoder?: WireDecoder | undefined;
  /**
   * Limits entities, messages and operations to those of a tier of the service. Default: all features, with the limits of premium.
   * Source: "Service Bus quotas".
   */
  readonly tier?: Tier | undefined;
  /**
   * Memory limit for all brokers of the process together, in bytes. Above it, sends, session states and rules are refused with
   * `quota-exceeded` until messages are received. Default and maximum: 60 % of the JavaScript heap for what is in the heap, and 70 % of the
   * machine's or container's memory for heap and bodies together. A single entity may use eight ninths, so that smaller ones still get
   * room.
   */
  readonly maxMemoryInBytes?: number | undefined;
}
