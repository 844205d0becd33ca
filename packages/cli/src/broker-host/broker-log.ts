import { withoutSecrets } from "../errors/without-secrets.js";
import { printable } from "../output/printable.js";
import { toJson } from "../output/to-json.js";

/** Writes the log of a running broker to the standard output, as text or as JSON lines, at the levels debug, info, warn and error. */
export class BrokerLog {
  readonly #isJson: boolean;
  /** Whether what happens to messages, sessions and entities is logged, too. */
  readonly isVerbose: boolean;

  constructor(isJson: boolean, isVerbose: boolean) {
    this.#isJson = isJson;
    this.isVerbose = isVerbose;
  }

  /** Logs a detail, if the log is verbose. */
  debug(event: string, text: string, parts: Readonly<Record<string, unknown>>): void {
    if (!this.isVerbose) return;
    if (this.#isJson) this.#json("debug", event, text, parts);
    else process.stdout.write(`${printable(text)}\n`);
  }

  /** Logs an error that stops a namespace. */
  error(event: string, text: string, parts: Readonly<Record<string, unknown>>): void {
    const clean = withoutSecrets(text);
    if (this.#isJson) this.#json("error", event, clean, parts);
    else process.stderr.write(`error: ${printable(clean)}\n`);
  }

  /** Logs an event: `text` is written as text, `parts` in JSON. */
  event(event: string, text: string, parts: Readonly<Record<string, unknown>> = {}): void {
    if (this.#isJson) this.#json("info", event, text, parts);
    else process.stdout.write(`${text.split("\n").map(printable).join("\n")}\n`);
  }

  /** Logs a warning. */
  warn(event: string, text: string, parts: Readonly<Record<string, unknown>> = {}): void {
    const clean = withoutSecrets(text);
    if (this.#isJson) this.#json("warn", event, clean, parts);
    else process.stderr.write(`warning: ${printable(clean)}\n`);
  }

  /** Logs the warnings of the process, which Node writes as text otherwise, until it is disposed. */
  takeWarnings(): Disposable {
    const others = process.listeners("warning");
    process.removeAllListeners("warning");
    const add = (warning: Error) =>
      this.warn("warning", warning.message, { code: (warning as NodeJS.ErrnoException).code });
    process.on("warning", add);
    return {
      [Symbol.dispose]() {
        process.off("warning", add);
        for (const other of others) process.on("warning", other);
      },
    };
  }

  #json(level: string, event: string, message: string, parts: Readonly<Record<string, unknown>>): void {
    const time = new Date().toISOString();
    process.stdout.write(`${toJson({ time, level, event, message, ...parts })}\n`);
  }
}
