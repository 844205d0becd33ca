import { type Message, WaybillError } from "@waybill/core";
import type { CallOptions } from "@waybill/core/transport";
import { shareCount, shareOf, stableKey } from "./stable-share.js";

/** How a share is set. */
export interface SetPercentOptions extends CallOptions {
  /** Raises the share whatever the readers say. Default false. */
  readonly override?: boolean | undefined;
}

/** Where a plan stands. */
export type WritePlanPhase = "old" | "mixed" | "new";

/** What keeps messages together: the same key always gets the same answer. */
export type PlanKey = (message: Message) => string | Uint8Array | undefined;

/** What a share belongs to. */
export interface PlanShareSettings {
  /** What is hashed with the key: senders of the same name decide alike. */
  readonly name: string;
  /** The new format, as errors name it. */
  readonly target: string;
  readonly keyOf?: PlanKey | undefined;
  readonly objections: (call: CallOptions) => Promise<readonly string[]>;
}

/** The share of messages that a plan writes new: how it is raised, lowered and stopped, and which messages fall into it. */
export class PlanShare {
  readonly #settings: PlanShareSettings;
  /** Of 10,000. */
  #shares = 0;
  #changes = 0;

  constructor(settings: PlanShareSettings) {
    this.#settings = settings;
  }

  get percent(): number {
    return (this.#shares * 100) / shareCount;
  }

  get phase(): WritePlanPhase {
    if (this.#shares === 0) return "old";
    return this.#shares === shareCount ? "new" : "mixed";
  }

  /** Whether a message is written new. */
  includes(message: Message): boolean {
    if (this.#shares === 0) return false;
    if (this.#shares === shareCount) return true;
    const { name, keyOf = stableKey } = this.#settings;
    const key = keyOf(message);
    return (key === undefined ? Math.random() * shareCount : shareOf(name, key)) < this.#shares;
  }

  async setPercent(
    percent: number,
    { override = false, abortSignal }: SetPercentOptions = {},
  ): Promise<void> {
    if (typeof percent !== "number" || !(percent >= 0 && percent <= 100)) {
      throw new TypeError(`A share is a number of percent from 0 to 100, not ${String(percent)}.`);
    }
    const shares = Math.round((percent * shareCount) / 100);
    const change = ++this.#changes;
    if (shares > this.#shares && !override) {
      this.#refuse(percent, await this.#settings.objections({ abortSignal }));
      if (change !== this.#changes) this.#refuse(percent, ["it was stopped or changed in the meantime"]);
    }
    this.#shares = shares;
  }

  stop(): void {
    this.#changes += 1;
    this.#shares = 0;
  }

  async recheck({ abortSignal }: CallOptions = {}): Promise<readonly string[]> {
    const objections = await this.#settings.objections({ abortSignal });
    if (objections.length > 0) this.stop();
    return objections;
  }

  #refuse(percent: number, objections: readonly string[]): void {
    if (objections.length === 0) return;
    const { name, target } = this.#settings;
    throw new WaybillError(
      "operation-invalid",
      `"${name}" is not written as ${target} at ${percent} %: ${objections.join("; ")}.`,
    );
  }
}

/** The objection of a plan that has nobody to ask. */
export const unguarded: readonly string[] = Object.freeze(["no guard can tell whether every reader is able"]);
