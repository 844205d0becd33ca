import { connect, type Socket } from "node:net";
import { type AmqpValue, described, symbol, uint, ulong } from "@waybill/amqp";
import { required } from "@waybill/foundation";
import {
  AMQP_HEADER,
  ATTACH,
  BEGIN,
  DETACH,
  DISPOSITION,
  encodeFrame,
  FLOW,
  FrameCutter,
  OPEN,
  readUints,
  SASL_HEADER,
  SASL_INIT,
  SASL_MECHANISMS,
  SASL_OUTCOME,
  TRANSFER,
  TransferPieces,
} from "./raw-frames.js";

const WINDOW = 0x7fffffff;
const ACCEPTED = described(ulong(0x24n), []);

/**
 * A client that costs next to nothing, so that what it measures is the server: transfers encoded beforehand, frames counted rather
 * than decoded, credit for all there is to do, one disposition for all that one read brought. It has one link.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #waits = new Map<number, (fields: (number | undefined)[]) => void>();
  #onFlow: (fields: (number | undefined)[]) => void = () => {};
  #onSettled: (count: number) => void = () => {};
  #onRead: () => void = () => {};
  #firstIncomingId = 0;
  #received = 0;
  #lastDeliveryId = 0;

  private constructor(port: number) {
    const onHeader = () => this.#waits.get(HEADER)?.([]);
    const cutter = new FrameCutter(onHeader, (code, buffer, start) => this.#onFrame(code, buffer, start));
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk) => {
      cutter.push(chunk);
      this.#onRead();
    });
  }

  /** Connects, and resolves when the server has answered open. Rejects when nobody listens. */
  static async open(port: number): Promise<RawClient> {
    const client = new RawClient(port);
    const socket = client.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    await client.#ask(SASL_HEADER, SASL_MECHANISMS);
    await client.#ask(encodeFrame(SASL_INIT, [symbol("ANONYMOUS")]), SASL_OUTCOME);
    await client.#ask(AMQP_HEADER, HEADER);
    await client.#ask(encodeFrame(OPEN, ["bench", "127.0.0.1"]), OPEN);
    return client;
  }

  /** Sends messages of 1 KB as fast as credit and window allow; resolves with the ms until the last is accepted. */
  async send(address: string, count: number): Promise<number> {
    let latest: (number | undefined)[] = [];
    const firstFlow = new Promise<void>((resolve) => {
      this.#onFlow = (fields) => {
        latest = fields;
        const [, , , , , , linkCredit = 0] = fields;
        if (linkCredit > 0) resolve();
      };
    });
    await this.#attach("sender", address);
    await firstFlow;
    const startMs = performance.now();
    await new Promise<void>((resolve) => {
      this.#pumpTransfers(count, latest);
      let settled = 0;
      this.#onSettled = (more) => {
        settled += more;
        if (settled >= count) resolve();
      };
    });
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
      encodeFrame(FLOW, [
        ...[uint(this.#firstIncomingId), uint(WINDOW), uint(0), uint(WINDOW)],
        ...[uint(0), uint(0), uint(count)],
      ]),
    );
    await all;
    await this.#ask(encodeFrame(DETACH, [uint(0), true]), DETACH);
    return performance.now() - startMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  #pumpTransfers(count: number, flow: (number | undefined)[]): void {
    const pieces = new TransferPieces();
    let allowed = 0;
    const pump = (): void => {
      while (pieces.taken < Math.min(allowed, count) && !this.#socket.writableNeedDrain) {
        this.#socket.write(...pieces.take(Math.min(allowed, count) - pieces.taken));
      }
    };
    let credit = 0;
    this.#onFlow = ([nextIncomingId = 0, incomingWindow = 0, , , , deliveryCount = 0, linkCredit]) => {
      if (linkCredit !== undefined) credit = deliveryCount + linkCredit;
      allowed = Math.min(credit, nextIncomingId + incomingWindow);
      pump();
    };
    this.#socket.on("drain", pump);
    this.#onFlow(flow);
  }

  #settle(first: number, last: number): void {
    this.#socket.write(encodeFrame(DISPOSITION, [true, uint(first), uint(last), true, ACCEPTED]));
  }

  async #attach(role: "sender" | "receiver", address: string): Promise<void> {
    const begin = [null, uint(0), uint(WINDOW), uint(WINDOW)];
    [, this.#firstIncomingId = 0] = await this.#ask(encodeFrame(BEGIN, begin), BEGIN);
    const node = (code: bigint): AmqpValue => described(ulong(code), [address]);
    const attach = [
      ...[`bench-${role}`, uint(0), role === "receiver", null, null, node(0x28n), node(0x29n)],
      ...(role === "sender" ? [null, null, uint(0)] : []),
    ];
    await this.#ask(encodeFrame(ATTACH, attach), ATTACH);
  }

  /** Writes, and waits for a frame of a kind; resolves with the numbers it starts with. */
  #ask(bytes: Buffer, code: number): Promise<(number | undefined)[]> {
    return new Promise((resolve) => {
      this.#waits.set(code, resolve);
      this.#socket.write(bytes);
    });
  }

  #onFrame(code: number, buffer: Buffer, start: number): void {
    if (code === TRANSFER) {
      this.#received++;
      this.#lastDeliveryId = required(readUints(buffer, start, 2)[1]);
    } else if (code === DISPOSITION) {
      const [, first = 0, last = first] = readUints(buffer, start, 3);
      this.#onSettled(last - first + 1);
    } else if (code === FLOW) this.#onFlow(readUints(buffer, start, 7));
    else this.#waits.get(code)?.(readUints(buffer, start, 2));
  }
}

/** Stands for a protocol header among the codes of frames. */
const HEADER = -1;
