import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./server.js", import.meta.url));

/** A broker server in a process of its own, on durable storage, that can be killed and started again where it was. */
export class ServerProcess {
  readonly #directory: string;
  readonly #key = randomBytes(32).toString("base64");
  #child: ChildProcess | undefined;
  #port = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get connectionString(): string {
    return `Endpoint=sb://127.0.0.1:${this.#port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${this.#key};UseDevelopmentEmulator=true`;
  }

  /** Resolves when the server listens, always on the same port. */
  async start(): Promise<void> {
    const parameters = [program, this.#directory, String(this.#port), this.#key];
    this.#child = spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(this.#child.stdout!, "data")) as [Buffer];
    this.#port = Number(line.toString());
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const exit = once(this.#child!, "exit");
    this.#child!.kill("SIGKILL");
    await exit;
  }
}
