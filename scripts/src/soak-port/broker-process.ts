import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../../packages/cli/dist/bin.js", import.meta.url));
const key = "the-soaks-key";

/** `waybill broker` with TLS on a data directory, which can be killed and started again where it was. */
export class BrokerProcess {
  readonly #directory: string;
  #child: ChildProcess | undefined;
  #port = 0;
  #isKilled = false;
  /** What it did that it should not: ending by itself, and anything it wrote as an error. */
  readonly findings: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  get origin(): string {
    return `http://localhost:${this.#port}`;
  }

  /** For plain AMQP. */
  get connectionString(): string {
    return `${this.encryptedConnectionString};UseDevelopmentEmulator=true`;
  }

  /** For AMQP over WebSockets, which the SDK encrypts always. */
  get encryptedConnectionString(): string {
    return `Endpoint=sb://localhost:${this.#port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${key}`;
  }

  get key(): string {
    return key;
  }

  /** The certificate of the authority that the broker made. */
  get authority(): string {
    return readFileSync(join(this.#directory, ".waybill", "tls", "ca.pem"), "utf8");
  }

  get residentMegabytes(): number {
    const status = readFileSync(`/proc/${this.#child?.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }

  /** Resolves when it listens, always on the same port. */
  async start(): Promise<void> {
    const parameters = ["broker", "--json", "--tls", "--port", String(this.#port)];
    this.#isKilled = false;
    const child = spawn(process.execPath, [bin, ...parameters, "--data", join(this.#directory, "data")], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: this.#directory, WAYBILL_BROKER_KEY: key },
    });
    this.#child = child;
    child.stderr.on("data", (text: Buffer) => this.findings.push(`the broker said: ${text.toString()}`));
    child.once("exit", (code) => {
      if (!this.#isKilled) this.findings.push(`the broker ended by itself with ${code}`);
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as { readonly event: string; readonly ports?: readonly number[] };
      this.#port = event.ports?.[0] ?? this.#port;
      if (event.event === "ready") return;
    }
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    this.#isKilled = true;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }
}
