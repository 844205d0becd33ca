import { randomBytes } from "node:crypto";
import type { EntityAddress } from "@waybill/core/transport";

/** A subscription that was created to see what is published to a topic; disposing of it removes it. */
export interface Mirror extends AsyncDisposable {
  readonly address: Extract<EntityAddress, { readonly topic: string }>;
}

/** How a mirror is created, and how it disappears if this process cannot remove it. In milliseconds. */
export interface MirrorSettings {
  readonly name: string;
  /** Its messages are only peeked, so they expire: a topic has a maximum size. */
  readonly defaultMessageTimeToLiveMs: number;
  readonly autoDeleteOnIdleMs: number;
}

/** The shortest time after which Service Bus deletes an idle entity. */
const minIdleMs = 300_000;

/** The settings of a mirror that is watched for so long. */
export function mirrorSettings(watchForMs: number): MirrorSettings {
  return {
    name: `waybill-rehearse-${randomBytes(4).toString("hex")}`,
    defaultMessageTimeToLiveMs: minIdleMs,
    autoDeleteOnIdleMs: watchForMs + minIdleMs,
  };
}
