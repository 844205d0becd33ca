import { randomBytes } from "node:crypto";
import { nodeCommand, type ProcessPlan, SupervisedProcess } from "waybill-harness/supervised-process.js";
import type { Entities, Listening } from "./server.js";

/** The process of a server on a port; 0 for any port. */
export type StartServer = (port: number) => ProcessPlan;

/** The address of a server, from its first message or its output. Default: the message. */
export type ToListening = (ready: unknown, printed: readonly string[]) => Listening;

/** A server in a separate process that can be killed and restarted, always on the same port. */
export class SupervisedServer {
  /** When each of its processes that listened was started, in ms of the wall clock. Locks of the process before ended earlier. */
  readonly starts: number[] = [];
  readonly #plan: StartServer;
  readonly #toListening: ToListening;
  readonly #processes: SupervisedProcess[] = [];
  #at: Listening = { port: 0, connectionString: "" };
  #kills = 0;

  constructor(plan: StartServer, toListening: ToListening = (ready) => ready as Listening) {
    this.#plan = plan;
    this.#toListening = toListening;
  }

  /** A broker with durable storage in a directory, on the network, with these entities from its first start. */
  static inDirectory(directory: string, entities: Entities): SupervisedServer {
    const program = new URL("./server.js", import.meta.url);
    const key = randomBytes(32).toString("base64");
    return new SupervisedServer((port) => ({
      command: nodeCommand(program, [directory, port, key, JSON.stringify(entities)], ["--expose-gc"]),
      isStderrFinding: true,
    }));
  }

  get port(): number {
    return this.#at.port;
  }

  get connectionString(): string {
    return this.#at.connectionString;
  }

  /** Its current process. Throws before the first start. */
  get process(): SupervisedProcess {
    const process = this.#processes.at(-1);
    if (process === undefined) throw new Error("The server has not been started.");
    return process;
  }

  /** How often it was killed. */
  get kills(): number {
    return this.#kills;
  }

  /** Whether it listens: it was started more often than it was killed. */
  get isUp(): boolean {
    return this.starts.length > this.#kills;
  }

  /** The faults of all of its processes. */
  get findings(): string[] {
    return this.#processes.flatMap(({ findings }) => findings);
  }

  /** Resolves when it listens. Throws if it ended before. */
  async start(): Promise<void> {
    // Not when it is ready: clients may get messages before this process hears of that.
    const startedAtMs = Date.now();
    const process = new SupervisedProcess({ ...this.#plan(this.port), mustStay: true });
    this.#processes.push(process);
    const ready = await process.ready;
    if (ready === undefined)
      throw new Error(`The server ended while it started: ${process.stderr.join("\n")}`);
    this.#at = this.#toListening(ready, process.stdout);
    this.starts.push(startedAtMs);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.#kills++;
    if (this.#processes.length > 0) await this.process.kill();
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }
}
