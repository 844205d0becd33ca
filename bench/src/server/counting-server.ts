import { createServer, type Socket } from "node:net";
import { type AmqpValue, decodeValue, isDescribed, symbol, ubyte, uint, ushort } from "@waybill/amqp";
import { listen } from "waybill-harness/ports.js";
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
import { openSyncedFile, type SyncedFile } from "./synced-file.js";

/**
 * The limit of what a server in Node can do for the raw client: it answers what a client must be answered, and otherwise only counts frames. It keeps no
 * message, and sends each client as many as it gives credit for, encoded beforehand. With a directory it accepts what it received only once a file there
 * has it, synced. Resolves with the port.
 */
export function serveCounting(directory?: string): Promise<number> {
  const file = directory === undefined ? undefined : openSyncedFile(directory);
  return listen(createServer((socket) => new CountingConnection(socket, file)));
}

class CountingConnection {
  readonly #socket: Socket;
  readonly #file: SyncedFile | undefined;
  readonly #pieces = new TransferPieces();
  #headers = 0;
  #credit = 0;
  #received = 0;
  #settled = 0;

  constructor(socket: Socket, file: SyncedFile | undefined) {
    this.#socket = socket;
    this.#file = file;
    const onHeader = () => this.#onHeader();
    const cutter = new FrameCutter(onHeader, (code, buffer, start) => this.#onFrame(code, buffer, start));
    socket.setNoDelay();
    socket.on("data", (chunk) => {
      cutter.push(chunk);
      if (this.#received > this.#settled) this.#keep(chunk);
    });
    socket.on("drain", () => this.#give());
    socket.on("error", () => socket.destroy());
  }

  #onHeader(): void {
    if (this.#headers++ > 0) this.#socket.write(amqpHeader);
    else {
      this.#socket.write(saslHeader);
      this.#answer(saslMechanisms, [symbol("ANONYMOUS")]);
    }
  }

  #onFrame(code: number, buffer: Buffer, start: number): void {
    if (code === transferCode) this.#received++;
    else if (code === flowCode) {
      const [, , , , , deliveryCount = 0, linkCredit = 0] = readUints(buffer, start, 7);
      this.#credit = deliveryCount + linkCredit;
      this.#give();
    } else if (code === saslInitCode) this.#answer(saslOutcome, [ubyte(0)]);
    else if (code === openCode) this.#answer(openCode, ["counting"]);
    else if (code === beginCode) this.#answer(beginCode, [ushort(0), uint(0), uint(window), uint(window)]);
    else if (code === attachCode) this.#attach(buffer.subarray(start));
    else if (code === detachCode) this.#answer(detachCode, [uint(0), true]);
  }

  /** Answers with the other role; a client that sends gets all the credit that there is. */
  #attach(body: Buffer): void {
    const attach = decodeValue(body);
    if (!isDescribed(attach) || !Array.isArray(attach.value)) throw new TypeError("This is no attach.");
    const [name, , isReceiver, , , source, target] = attach.value as AmqpValue[];
    const sent = [name ?? null, uint(0), isReceiver !== true, null, null, source ?? null, target ?? null];
    this.#answer(attachCode, isReceiver === true ? [...sent, null, null, uint(0)] : sent);
    if (isReceiver === true) return;
    this.#answer(flowCode, [uint(0), uint(window), uint(0), uint(window), uint(0), uint(0), uint(window)]);
  }

  #give(): void {
    while (this.#pieces.taken < this.#credit && !this.#socket.writableNeedDrain) {
      this.#socket.write(...this.#pieces.take(this.#credit - this.#pieces.taken));
    }
  }

  /** Accepts all that was read in one disposition. */
  #keep(chunk: Buffer): void {
    const received = this.#received;
    const accept = () => {
      if (received <= this.#settled) return;
      const [first, last] = [uint(this.#settled), uint(received - 1)];
      this.#settled = received;
      this.#answer(dispositionCode, [true, first, last, true, acceptedState]);
    };
    if (this.#file === undefined) accept();
    else this.#file.append(chunk, accept);
  }

  #answer(code: number, fields: readonly AmqpValue[]): void {
    this.#socket.write(encodeFrame(code, fields));
  }
}
