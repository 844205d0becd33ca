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

/** What a plan moves, and how. */
interface PlanSettings<Target> {
  /** What is hashed with the key: senders of the same name decide alike. */
  readonly name: string;
  readonly from: Target;
  readonly to: Target;
  /** The new format, as errors name it. */
  readonly toText: string;
  /** What keeps messages together: the same key always gets the same answer. */
  readonly keyOf: ((message: Message) => string | Uint8Array | undefined) | undefined;
  /** Why the new format must not be written yet; undefined when there is nobody to ask. */
  readonly objections: (call: CallOptions) => Promise<readonly string[]> | undefined;
}

/** A plan by which a growing share of messages moves from one target to another. It begins at 0 %. */
export abstract class SteppedPlan<Target> {
  /** What is written at 0 %. */
  readonly from: Target;
  /** What is written at 100 %. */
  readonly to: Target;
  readonly #settings: PlanSettings<Target>;
  /** Of 10,000. */
  #shares = 0;
  #changes = 0;

  constructor(settings: PlanSettings<Target>) {
    this.from = settings.from;
    this.to = settings.to;
    this.#settings = settings;
  }

  /** How many of a hundred messages are written new. */
  get percent(): number {
    return (this.#shares * 100) / shareCount;
  }

  get phase(): WritePlanPhase {
    if (this.#shares === 0) return "old";
    return this.#shares === shareCount ? "new" : "mixed";
  }

  /** What to write a message as. */
  choose(message: Message): Target {
    return this.#includes(message) ? this.to : this.from;
  }

  /**
   * Sets the share of the new format, from 0 to 100, two digits behind the point. Raising it asks the guard first and rejects with
   * `operation-invalid`, naming the readers that cannot read it yet, or when the plan was stopped in the meantime; the share then stays.
   */
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
      this.#refuse(percent, await this.#objections({ abortSignal }));
      if (change !== this.#changes) this.#refuse(percent, ["it was stopped or changed in the meantime"]);
    }
    this.#shares = shares;
  }

  /** The kill switch: from this moment everything is written old. Needs nobody's consent. */
  stop(): void {
    this.#changes += 1;
    this.#shares = 0;
  }

  /**
   * Asks the guard again and stops the plan when a reader is not able any more, for example after a roll-back. Resolves with the objections;
   * none when all is well. Call it at intervals while the plan is mixed or new.
   */
  async recheck({ abortSignal }: CallOptions = {}): Promise<readonly string[]> {
    const objections = await this.#objections({ abortSignal });
    if (objections.length > 0) this.stop();
    return objections;
  }

  async #objections(call: CallOptions): Promise<readonly string[]> {
    return (await this.#settings.objections(call)) ?? unguarded;
  }

  #includes(message: Message): boolean {
    if (this.#shares === 0) return false;
    if (this.#shares === shareCount) return true;
    const { name, keyOf = stableKey } = this.#settings;
    const key = keyOf(message);
    return (key === undefined ? Math.random() * shareCount : shareOf(name, key)) < this.#shares;
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

/** The objection of a plan that has nobody to ask. */
const unguarded: readonly string[] = Object.freeze(["no guard can tell whether every reader is able"]);
