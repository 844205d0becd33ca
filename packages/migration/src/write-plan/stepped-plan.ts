import { type Message, WaybillError } from "@waybill/core";
import type { CallOptions } from "@waybill/core/transport";
import { shareCount, shareOf, stableKey } from "./stable-share.js";

/** Options of `setPercent`. */
export interface SetPercentOptions extends CallOptions {
  /** Raises the share without asking the guard. Default: false. */
  readonly override?: boolean | undefined;
}

/** What a plan writes now: only the old format, both, or only the new one. */
export type WritePlanPhase = "old" | "mixed" | "new";

/** The settings that a subclass passes. */
interface PlanSettings<Target> {
  /** Hashed together with the key: senders with plans of the same name decide alike. */
  readonly name: string;
  readonly from: Target;
  readonly to: Target;
  /** The new format, as errors name it. */
  readonly toText: string;
  /** Messages with the same key are written alike. */
  readonly keyOf: ((message: Message) => string | Uint8Array | undefined) | undefined;
  /** Why the new format must not be written yet; undefined without a guard. */
  readonly objections: (call: CallOptions) => Promise<readonly string[]> | undefined;
}

/** Moves a growing share of messages from one target to another. Begins at 0 %. */
export abstract class SteppedPlan<Target> {
  /** What is written at 0 %. */
  readonly from: Target;
  /** What is written at 100 %. */
  readonly to: Target;
  readonly #settings: PlanSettings<Target>;
  /** From 0 to 10,000. */
  #shares = 0;
  /** Another one after each change. */
  #change = {};

  constructor(settings: PlanSettings<Target>) {
    this.from = settings.from;
    this.to = settings.to;
    this.#settings = settings;
  }

  /** The percentage of messages written in the new format. */
  get percent(): number {
    return (this.#shares * 100) / shareCount;
  }

  get phase(): WritePlanPhase {
    if (this.#shares === 0) return "old";
    return this.#shares === shareCount ? "new" : "mixed";
  }

  /** The target to write a message as. */
  choose(message: Message): Target {
    if (this.#shares === 0) return this.from;
    if (this.#shares === shareCount) return this.to;
    const { name, keyOf = stableKey } = this.#settings;
    const key = keyOf(message);
    const share = key === undefined ? Math.random() * shareCount : shareOf(name, key);
    return share < this.#shares ? this.to : this.from;
  }

  /**
   * Sets the share of the new format, from 0 to 100, with two decimal places. Raising it asks the guard first. Rejects with `operation-invalid`
   * and changes nothing if a reader cannot read the new format yet, which the error names, or if the plan was stopped or changed meanwhile.
   */
  async setPercent(
    percent: number,
    { override = false, abortSignal }: SetPercentOptions = {},
  ): Promise<void> {
    if (typeof percent !== "number" || !(percent >= 0 && percent <= 100)) {
      throw new TypeError(`A share is a number of percent from 0 to 100, not ${String(percent)}.`);
    }
    const shares = Math.round((percent * shareCount) / 100);
    const change = {};
    this.#change = change;
    if (shares > this.#shares && !override) {
      this.#refuse(percent, await this.#objections({ abortSignal }));
      if (change !== this.#change) this.#refuse(percent, ["it was stopped or changed in the meantime"]);
    }
    this.#shares = shares;
  }

  /** The kill switch: from now on everything is written in the old format. Does not ask the guard. */
  stop(): void {
    this.#change = {};
    this.#shares = 0;
  }

  /**
   * Asks the guard again and stops the plan if a reader can no longer read the new format, for example after a roll-back. Resolves with the
   * objections, an empty list without any. Call it at intervals while the plan is mixed or new.
   */
  async recheck({ abortSignal }: CallOptions = {}): Promise<readonly string[]> {
    const objections = await this.#objections({ abortSignal });
    if (objections.length > 0) this.stop();
    return objections;
  }

  async #objections(call: CallOptions): Promise<readonly string[]> {
    return (await this.#settings.objections(call)) ?? unguarded;
  }

  #refuse(percent: number, objections: readonly string[]): void {
    if (objections.length === 0) return;
    const { name, toText } = this.#settings;
    throw new WaybillError(
      "operation-invalid",
      `"${name}" is not written as ${toText} at ${percent} %: ${objections.join("; ")}.`,
    );
  }
}

/** The objection of a plan without a guard. */
const unguarded: readonly string[] = Object.freeze(["no guard can tell whether every reader is able"]);
