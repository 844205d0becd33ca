import type { DeliveredMessage } from "../../contracts/transport.js";
import type { RetrySettings } from "./handling.js";
import type { InFlightMessage, MessageContext } from "./in-flight-message.js";

/** The options of a processor with every default filled in. */
export interface ProcessorSettings {
  readonly maxConcurrentCalls: number;
  readonly prefetchCount: number;
  readonly isAutoCompleting: boolean;
  readonly renewForMs: number;
  readonly retry: RetrySettings | undefined;
  /** Manages the lifetime of its session; undefined without a session, and if the caller manages it. */
  readonly keeper: SessionKeeper | undefined;
}

/** Manages the lifetime of a session, as its processor reports events: closes it with the processor, and keeps it locked while it is blocked. */
export interface SessionKeeper {
  toContext(inFlight: InFlightMessage): MessageContext;
  /** Called when the first message arrives, and when the last one is settled. */
  onActivity(isBusy: boolean): void;
  onDecoded(): void;
  /** Whether the session may stop at a message whose circuit is open; otherwise the message is dead-lettered. */
  tryBlock(delivered: DeliveredMessage): Promise<boolean>;
  /** Called when the session stopped at a message. */
  onBlocked(cause: BlockCause): void;
  onLost(): void;
}

/** Why a session stopped: its message is undeserializable, its circuit is open, or a dependency is unavailable. */
export type BlockCause = "undeserializable" | "circuitOpen" | "unavailable";
