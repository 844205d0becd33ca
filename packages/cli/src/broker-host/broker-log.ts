import { withoutSecrets } from "../errors/without-secrets.js";
import { printable } from "../output/printable.js";
import { toJson } from "../output/to-json.js";

/** What a running broker says, to the standard output: lines for people, or JSON for machines. */
export class BrokerLog {
  readonly #isJson: boolean;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  /** Something happened: a sentence for people, and its parts for machines. */
  event(event: string, text: string, parts: Readonly<Record<string, unknown>> = {}): void {
    if (this.#isJson) this.#json("info", event, text, parts);
    else process.stdout.write(`${text.split("\n").map(printable).join("\n")}\n`);
  }

  /** Something is not as it should be, and no reason to stop. */
  warn(event: string, text: string): void {
    const clean = withoutSecrets(text);
    if (this.#isJson) this.#json("warn", event, clean, {});
    else process.stderr.write(`warning: ${printable(clean)}\n`);
  }

  #json(level: string, event: string, message: string, parts: Readonly<Record<string, unknown>>): void {
    const time = new Date().toISOString();
    process.stdout.write(`${toJson({ time, level, event, message, ...parts })}\n`);
  }
}
