import { connect, type Socket } from "node:net";
import { pause, until } from "waybill-harness/waiting.js";
import { FrameFilter, type PassingFrame } from "../network/frame-filter.js";
import { attachSender, codes, greeting } from "./frames.js";
import type { KeyName } from "./keys.js";

/** How a declared state begins, and how a binary of 16 bytes does. */
const declaredCode = Buffer.from("005333", "hex");
const binaryOf16 = Buffer.from("a010", "hex");

/** A client that sends arbitrary frames, and only counts what the server answers. */
export class Attacker {
  /** Frames that came, by the code of their performative. */
  readonly frames = new Map<number, number>();
  /** Ids of transactions that were declared for it. */
  readonly transactions: Uint8Array[] = [];
  readonly #socket: Socket;
  #isOver = false;

  private constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1").setNoDelay();
    const answers = new FrameFilter((frame) => this.#count(frame));
    this.#socket.on("data", (bytes) => answers.push(bytes));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isOver = true;
    });
    this.#socket.on("end", () => this.close());
  }

  /** Connects, with a key or without one. */
  static async open(port: number, key?: KeyName): Promise<Attacker> {
    const attacker = new Attacker(port);
    await attacker.write(greeting(key));
    return attacker;
  }

  /** Connects and sends nothing. */
  static openSilent(port: number): Attacker {
    return new Attacker(port);
  }

  /** Frames that the server has sent in all. */
  get answers(): number {
    return [...this.frames.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Whether its connection is closed. */
  get isClosed(): boolean {
    return this.#isOver;
  }

  /** Whether the server has put an end to it, or to its session. */
  get isOver(): boolean {
    return this.#isOver || this.received(codes.end) + this.received(codes.close) > 0;
  }

  received(code: number): number {
    return this.frames.get(code) ?? 0;
  }

  /** Writes, and waits until the server has read most of it; does nothing after the flood's end. */
  async write(...parts: readonly Uint8Array[]): Promise<void> {
    if (this.#isOver) return;
    if (this.#socket.write(Buffer.concat(parts))) {
      // Lets the client read what the server sent after each write.
      await new Promise(setImmediate);
      return;
    }
    const isWaiting = (): boolean => this.#socket.writableNeedDrain && !this.#isOver;
    while (isWaiting() && this.received(codes.close) === 0) await pause(1);
  }

  /** Attaches a link to send on and waits for its credit. */
  async attachSender(name: string, handle: number, address: string): Promise<void> {
    const before = this.received(codes.flow);
    await this.write(attachSender(name, handle, address));
    await this.until(() => this.received(codes.flow) > before);
  }

  /** Waits for something the server does, for a second at most. */
  async until(isDone: () => boolean, patienceMs = 1000): Promise<boolean> {
    await until(() => isDone() || this.isOver, patienceMs, 1);
    return isDone();
  }

  /** Waits until the server has closed the connection, for a second at most. */
  async untilClosed(): Promise<void> {
    await until(() => this.#isOver, 1000, 1);
  }

  /** Stops reading from the server. */
  stopReading(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#isOver = true;
    this.#socket.destroy();
  }

  #count({ code, bytes }: PassingFrame): boolean {
    if (code !== undefined) this.frames.set(code, this.received(code) + 1);
    if (code === codes.disposition) this.#noteTransaction(bytes);
    return false;
  }

  /** A declared state (4.5.4) has the id as its one field, binary of 16 bytes. */
  #noteTransaction(frame: Buffer): void {
    const at = frame.indexOf(declaredCode);
    const id = at < 0 ? -1 : frame.indexOf(binaryOf16, at);
    if (id >= 0) this.transactions.push(Buffer.from(frame.subarray(id + 2, id + 18)));
  }
}
