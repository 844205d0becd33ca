/** What is to become of a message: it is decided by its number. */
export type Kind = "good" | "abandoned" | "poison";

/** 1 % poison, 10 % abandoned at their first delivery. */
export function kindOf(number: number): Kind {
  if (number % 100 === 7) return "poison";
  return number % 10 === 3 ? "abandoned" : "good";
}

/** Counts, by id, what happened to every message. */
export class Tally {
  readonly count: number;
  readonly #sent: Uint8Array;
  readonly #handled: Uint8Array;
  readonly #abandoned: Uint8Array;
  readonly #dead: Uint8Array;
  readonly #errors = new Map<string, number>();
  readonly violations: string[] = [];
  /** How many messages can be read. */
  readonly goodCount: number;
  /** How many messages that can be read have been handled at least once. */
  handledCount = 0;

  constructor(count: number) {
    this.count = count;
    this.#sent = new Uint8Array(count);
    this.#handled = new Uint8Array(count);
    this.#abandoned = new Uint8Array(count);
    this.#dead = new Uint8Array(count);
    this.goodCount = this.#numbers().filter((number) => kindOf(number) !== "poison").length;
  }

  sent(number: number): void {
    add(this.#sent, number);
  }

  /** Whether this is the first delivery of a message that is to be abandoned once. */
  takesAbandoning(number: number): boolean {
    if (kindOf(number) !== "abandoned" || this.#abandoned[number]! > 0) return false;
    add(this.#abandoned, number);
    return true;
  }

  handled(number: number): void {
    if (kindOf(number) === "poison") this.violate(`poison message ${number} reached the handler`);
    if (this.#handled[number] === 0) this.handledCount += 1;
    add(this.#handled, number);
  }

  /** `flaw` says what is wrong with the dead letter, if anything is. */
  deadLettered(number: number, flaw: string | undefined): void {
    if (kindOf(number) !== "poison") this.violate(`good message ${number} was dead-lettered`);
    if (flaw !== undefined) this.violate(`dead letter ${number}: ${flaw}`);
    add(this.#dead, number);
  }

  error(code: string): void {
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  violate(text: string): void {
    this.violations.push(text);
  }

  /** Looks for what is missing and returns what is there, in lines. */
  close(): string[] {
    for (const number of this.#numbers()) {
      if (this.#sent[number] === 0) this.violate(`message ${number} was never sent`);
      const isPoison = kindOf(number) === "poison";
      if (isPoison && this.#dead[number] === 0) this.violate(`poison message ${number} is lost`);
      if (!isPoison && this.#handled[number] === 0) this.violate(`good message ${number} is lost`);
    }
    const errors = [...this.#errors].map(([code, count]) => `${code} ${count}`).join(", ");
    return [
      `sent           ${times(this.#sent)}`,
      `abandoned      ${times(this.#abandoned)}`,
      `handled        ${times(this.#handled)}`,
      `dead-lettered  ${times(this.#dead)}`,
      `errors told    ${errors || "none"}`,
    ];
  }

  #numbers(): number[] {
    return Array.from({ length: this.count }, (_, number) => number);
  }
}

function add(counts: Uint8Array, number: number): void {
  counts[number] = Math.min(counts[number]! + 1, 255);
}

function times(counts: Uint8Array): string {
  const once = counts.filter((count) => count === 1).length;
  const more = counts.filter((count) => count > 1).length;
  return `${once + more} messages (${more} of them more than once)`;
}
