import { connect, type Socket } from "node:net";
import { type AmqpValue, described, symbol, uint, ulong } from "@waybill/amqp";
import { required } from "@waybill/foundation";
import {
  acceptedState,
  amqpHeader,
  attachCode,
  beginCode,
  detachCode,
  dispositionCode,
  encodeFrame,
  FrameCutter,
  flowCode,
  openCode,
  readUints,
  saslHeader,
  saslInitCode,
  saslMechanisms,
  saslOutcome,
  TransferPieces,
  transferCode,
  window,
} from "./raw-frames.js";

/**
 * A client that costs next to nothing, so that what it measures is the server: transfers encoded beforehand, frames counted rather
 * than decoded, credit for all there is to do, one disposition for all that one read brought. It has one link.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #waits = new Map<number, (fields: (number | undefined)[]) => void>();
  readonly #closed: Promise<never>;
  #onFlow: (fields: (number | undefined)[]) => void = () => {};
  #onSettled: (count: number) => void = () => {};
  #onRead: () => void = () => {};
  #firstIncomingId = 0;
  #received = 0;
  #lastDeliveryId = 0;

  private constructor(port: number) {
    const onHeader = () => this.#waits.get(header)?.([]);
    const cutter = new FrameCutter(onHeader, (code, buffer, start) => this.#onFrame(code, buffer, start));
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk) => {
      cutter.push(chunk);
      this.#onRead();
    });
    this.#closed = new Promise((_, reject) => {
      this.#socket.once("error", reject);
      this.#socket.once("close", () => reject(new Error("The server closed the connection.")));
    });
    // Without an effect while nothing waits for the server.
    this.#closed.catch(() => {});
  }

  /** Connects, and resolves when the server has answered open. Rejects when nobody listens, or the server closes the connection. */
  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port);
    await client.#ask(saslHeader, saslMechanisms);
    await client.#ask(encodeFrame(saslInitCode, [symbol("ANONYMOUS")]), saslOutcome);
    await client.#ask(amqpHeader, header);
    await client.#ask(encodeFrame(openCode, ["bench", "127.0.0.1"]), openCode);
    return client;
  }

  /**
   * Sends messages of 1 KB as fast as credit, window and the number in flight allow; resolves with the ms until the last is accepted.
   */
  async send(address: string, count: number, maxInFlight = window): Promise<number> {
    let latest: (number | undefined)[] = [];
    const firstFlow = new Promise<void>((resolve) => {
      this.#onFlow = (fields) => {
        latest = fields;
        const [, , , , , , linkCredit = 0] = fields;
        if (linkCredit > 0) resolve();
      };
    });
    await this.#attach("sender", address);
    await this.#unlessClosed(firstFlow);
    const startMs = performance.now();
    const all = new Promise<void>((resolve) => this.#sendTransfers(count, maxInFlight, latest, resolve));
    await this.#unlessClosed(all);
    return performance.now() - startMs;
  }

  /**
   * Receives and settles messages; resolves with the ms until the server has answered the detach that follows the last settlement.
   */
  async receive(address: string, count: number): Promise<number> {
    await this.#attach("receiver", address);
    const startMs = performance.now();
    let settled = 0;
    const all = new Promise<void>((resolve) => {
      this.#onRead = () => {
        if (this.#received === settled) return;
        const fresh = this.#received - settled;
        settled = this.#received;
        this.#settle(this.#lastDeliveryId - fresh + 1, this.#lastDeliveryId);
        if (settled >= count) resolve();
      };
    });
    this.#socket.write(
      encodeFrame(flowCode, [
        ...[uint(this.#firstIncomingId), uint(window), uint(0), uint(window)],
        ...[uint(0), uint(0), uint(count)],
      ]),
    );
    await this.#unlessClosed(all);
    await this.#ask(encodeFrame(detachCode, [uint(0), true]), detachCode);
    return performance.now() - startMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  #sendTransfers(
    count: number,
    maxInFlight: number,
    flow: (number | undefined)[],
    onAllSettled: () => void,
  ): void {
    const pieces = new TransferPieces();
    let settled = 0;
    let allowed = 0;
    const pump = (): void => {
      const end = Math.min(allowed, count, settled + maxInFlight);
      while (pieces.taken < end && !this.#socket.writableNeedDrain) {
        this.#socket.write(...pieces.take(end - pieces.taken));
      }
    };
    let credit = 0;
    this.#onFlow = ([nextIncomingId = 0, incomingWindow = 0, , , , deliveryCount = 0, linkCredit]) => {
      if (linkCredit !== undefined) credit = deliveryCount + linkCredit;
      allowed = Math.min(credit, nextIncomingId + incomingWindow);
      pump();
    };
    this.#onSettled = (more) => {
      settled += more;
      if (settled >= count) onAllSettled();
      else pump();
    };
    this.#socket.on("drain", pump);
    this.#onFlow(flow);
  }

  #settle(first: number, last: number): void {
    this.#socket.write(encodeFrame(dispositionCode, [true, uint(first), uint(last), true, acceptedState]));
  }

  async #attach(role: "sender" | "receiver", address: string): Promise<void> {
    const begin = [null, uint(0), uint(window), uint(window)];
    [, this.#firstIncomingId = 0] = await this.#ask(encodeFrame(beginCode, begin), beginCode);
    const node = (code: bigint): AmqpValue => described(ulong(code), [address]);
    const attach = [
      ...[`bench-${role}`, uint(0), role === "receiver", null, null, node(0x28n), node(0x29n)],
      ...(role === "sender" ? [null, null, uint(0)] : []),
    ];
    await this.#ask(encodeFrame(attachCode, attach), attachCode);
  }

  /** Writes, and waits for a frame of a kind; resolves with the numbers it starts with. Rejects when the connection is closed. */
  #ask(bytes: Buffer, code: number): Promise<(number | undefined)[]> {
    const answer = new Promise<(number | undefined)[]>((resolve) => {
      this.#waits.set(code, resolve);
      this.#socket.write(bytes);
    });
    return this.#unlessClosed(answer);
  }

  #unlessClosed<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([promise, this.#closed]);
  }

  #onFrame(code: number, buffer: Buffer, start: number): void {
    if (code === transferCode) {
      this.#received++;
      this.#lastDeliveryId = required(readUints(buffer, start, 2)[1]);
    } else if (code === dispositionCode) {
      const [, first = 0, last = first] = readUints(buffer, start, 3);
      this.#onSettled(last - first + 1);
    } else if (code === flowCode) this.#onFlow(readUints(buffer, start, 7));
    else this.#waits.get(code)?.(readUints(buffer, start, 2));
  }
}

/** Stands for a protocol header among the codes of frames. */
const header = -1;
