import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../codec/byte-reader.js";
import { ByteWriter } from "../codec/byte-writer.js";
import { readDescriptor } from "../codec/composite.js";
import { decodeValue } from "../codec/decode.js";
import { concatenate } from "../codec/encode.js";
import { int, symbolMap, uint } from "../codec/value.js";
import { SettlementRun } from "../deliveries/settlement-run.js";
import {
  acceptedState,
  type DeliveryState,
  encodeDeliveryState,
  rejected,
  toDeliveryState,
} from "./delivery-state.js";
import { DispositionFields, readDisposition } from "./disposition.js";
import { FlowFields, readFlow, writeFlow } from "./flow.js";
import { FrameSplitter } from "./frame-splitter.js";
import { type Source, type Target, toSource, toTarget, writeTerminus } from "./terminus.js";
import { readTransfer, TransferFields, writeFirstTransfer, writeNextTransfer } from "./transfer.js";

const anyUint = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0, 255, 256, 0xffffffff));
const anyState: fc.Arbitrary<DeliveryState> = fc.constantFrom<DeliveryState>(
  acceptedState,
  rejected({ condition: "a:b" }),
  rejected({ condition: "a:b", description: "c", info: symbolMap({ d: int(1) }) }),
  { kind: "rejected" },
  { kind: "released" },
  {
    kind: "modified",
    deliveryFailed: true,
    undeliverableHere: false,
    messageAnnotations: symbolMap({ e: 1 }),
  },
  { kind: "received", sectionNumber: 3, sectionOffset: 2n ** 60n },
  { kind: "declared", transactionId: Buffer.from("id") },
  { kind: "transactional", transactionId: Buffer.from("id") },
  { kind: "transactional", transactionId: Buffer.from("id"), outcome: rejected({ condition: "f:g" }) },
  { kind: "unknown", value: uint(5) },
);

/** A reader after the descriptor of each written frame. */
function framesIn(writer: ByteWriter): ByteReader[] {
  const bytes = Buffer.from(concatenate(writer.take()));
  const readers: ByteReader[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const reader = new ByteReader(bytes, at + 8, at + bytes.readUInt32BE(at));
    readDescriptor(reader);
    readers.push(reader);
  }
  return readers;
}

describe("a transfer", () => {
  it("is read as it was written, with any fields, payload and position in the output", () => {
    const head = fc.record({
      tag: fc.uint8Array({ maxLength: 32 }),
      format: anyUint,
      isSettled: fc.boolean(),
      state: fc.option(anyState, { nil: undefined }),
    });
    fc.assert(
      fc.property(
        head,
        anyUint,
        anyUint,
        fc.integer({ min: 0, max: 40_000 }),
        (delivery, handle, id, size) => {
          const writer = new ByteWriter(128);
          const encodedState = delivery.state && encodeDeliveryState(delivery.state);
          const payload = Buffer.alloc(size, "p");
          writeFirstTransfer(writer, 5, handle, id, { ...delivery, encodedState }, size, 0x41);
          writer.append(payload);
          writeNextTransfer(writer, 5, handle, size, 0x42);
          writer.append(payload);
          const [first, next] = framesIn(writer) as [ByteReader, ByteReader];
          const fields = new TransferFields();
          readTransfer(first, fields);
          const { format, isSettled } = delivery;
          expect(fields).toMatchObject({
            handle,
            deliveryId: id,
            messageFormat: format,
            isSettled,
            hasMore: true,
          });
          expect(Buffer.compare(fields.deliveryTag as Uint8Array, delivery.tag)).toBe(0);
          expect(toDeliveryState(fields.state)).toEqual(delivery.state);
          expect(Buffer.compare(first.buffer.subarray(first.position, first.end), payload)).toBe(0);
          readTransfer(next, fields);
          expect(fields).toMatchObject({
            handle,
            deliveryId: undefined,
            deliveryTag: undefined,
            hasMore: false,
          });
          expect(next.end - next.position).toBe(size);
        },
      ),
    );
  });
});

describe("a flow", () => {
  it("is read as it was written", () => {
    const optional = fc.option(anyUint, { nil: undefined });
    const anyFlow = fc.record({
      nextIncomingId: optional,
      incomingWindow: anyUint,
      nextOutgoingId: anyUint,
      outgoingWindow: anyUint,
      handle: optional,
      deliveryCount: optional,
      linkCredit: optional,
      available: optional,
      isDraining: fc.boolean(),
      wantsEcho: fc.boolean(),
    });
    fc.assert(
      fc.property(anyFlow, (flow) => {
        const writer = new ByteWriter(128);
        writeFlow(writer, 0, flow);
        const fields = new FlowFields();
        readFlow(framesIn(writer)[0] as ByteReader, fields);
        expect(fields).toEqual(Object.assign(new FlowFields(), flow));
      }),
    );
  });
});

describe("dispositions", () => {
  it("keep the outcome of each delivery when they are joined", () => {
    const step = fc.record({
      jump: fc.constantFrom(1, 1, 1, -1, 2, 100),
      state: anyState,
      isSettled: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), anyUint, (steps, start) => {
        const run = new SettlementRun("receiver");
        const writer = new ByteWriter(128);
        const said: unknown[] = [];
        const known = new Set<number>();
        let id = start;
        for (const { jump, state, isSettled } of steps) {
          id = (id + jump) >>> 0;
          if (known.has(id)) continue;
          known.add(id);
          said.push([id, state, isSettled]);
          run.add(writer, 1, id, state, isSettled ? "settled" : "unsettled");
        }
        run.flush(writer, 1);
        const heard = framesIn(writer).flatMap((reader) => {
          const fields = new DispositionFields();
          readDisposition(reader, fields);
          expect(fields.isFromReceiver).toBe(true);
          const length = ((fields.last - fields.first) >>> 0) + 1;
          return Array.from({ length }, (_, i) => [(fields.first + i) >>> 0, fields.state, fields.isSettled]);
        });
        expect(heard.sort(byId)).toEqual(said.sort(byId));
      }),
    );
  });
});

describe("a terminus", () => {
  it("is read as it was written", () => {
    const source: Source = {
      kind: "source",
      address: "q",
      filter: symbolMap({ f: null }),
      outcomes: ["a", "b"],
    };
    const target: Target = { kind: "target", address: "q", durable: 2, timeout: 5, capabilities: ["queue"] };
    const encode = (terminus: Source | Target | undefined) => {
      const writer = new ByteWriter(128);
      writeTerminus(writer, terminus);
      return decodeValue(concatenate(writer.take()));
    };
    expect(toSource(encode(source))).toMatchObject(source);
    expect(toTarget(encode(target))).toMatchObject(target);
    expect([toSource(encode(undefined)), toTarget(null)]).toEqual([undefined, undefined]);
    expect(() => toSource(encode(target))).toThrow("a source was expected");
  });
});

/** The result of a sink that accepts all input. */
const generous = { ignoresInput: false, mustWait: false, holdFrame: () => true, free: () => {} };

describe("FrameSplitter", () => {
  it("finds the same frames for any division of the stream", () => {
    const sizes = fc.array(fc.integer({ min: 8, max: 700 }), { maxLength: 20 });
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }), (frames, cuts) => {
        const stream = Buffer.concat(frames.map((size, i) => frameOf(size, i)));
        const seen: string[] = [];
        const splitter = new FrameSplitter({
          awaitsProtocolHeader: false,
          ...generous,
          maxFrameSize: 700,
          onProtocolHeader: () => expect.unreachable(),
          onFrameSizeError: () => expect.unreachable(),
          onFrame: (buffer, start, end) => seen.push(buffer.toString("hex", start, end)),
        });
        for (let at = 0, i = 0; at < stream.length; i++) {
          const cut = cuts[i % cuts.length] as number;
          splitter.push(stream.subarray(at, at + cut));
          at += cut;
        }
        expect(seen).toEqual(frames.map((size, i) => frameOf(size, i).toString("hex")));
      }),
    );
  });
});

describe("FrameSplitter, of a large frame", () => {
  it.each([1, 1000, 65_536, 140_000])("assembles it from pieces of at least %i bytes", (piece) => {
    const frame = frameOf(300_000, 0);
    for (let i = 8; i < frame.length; i++) frame[i] = i % 251;
    const seen: Buffer[] = [];
    const splitter = new FrameSplitter({
      awaitsProtocolHeader: false,
      ...generous,
      maxFrameSize: 300_000,
      onProtocolHeader: () => expect.unreachable(),
      onFrameSizeError: () => expect.unreachable(),
      onFrame: (buffer, start, end) => seen.push(buffer.subarray(start, end)),
    });
    const stream = Buffer.concat([frameOf(8, 0), frame, frameOf(8, 0)]);
    for (let at = 0; at < stream.length; ) {
      const size = piece + (at % 7);
      splitter.push(stream.subarray(at, at + size));
      at += size;
    }
    expect(seen.map((one) => one.length)).toEqual([8, 300_000, 8]);
    expect(Buffer.compare(seen[1]!, frame)).toBe(0);
  });

  it("reuses only the memory of recycled frames", () => {
    const seen: Buffer[] = [];
    const splitter = new FrameSplitter({
      awaitsProtocolHeader: false,
      ...generous,
      maxFrameSize: 100_000,
      onProtocolHeader: () => expect.unreachable(),
      onFrameSizeError: () => expect.unreachable(),
      onFrame: (buffer, start, end) => seen.push(buffer.subarray(start, end)),
    });
    const pushInTwo = (frame: Buffer): Buffer => {
      splitter.push(frame.subarray(0, 30_000));
      splitter.push(frame.subarray(30_000));
      return seen.at(-1)!;
    };
    const kept = pushInTwo(frameOf(90_000, 1));
    const recycled = pushInTwo(frameOf(90_000, 2));
    splitter.recycle(kept);
    splitter.recycle(recycled);
    splitter.recycle(recycled);
    const third = pushInTwo(frameOf(80_000, 3));
    const fourth = pushInTwo(frameOf(80_000, 4));
    expect(third.buffer).toBe(recycled.buffer);
    expect(fourth.buffer).not.toBe(recycled.buffer);
    expect([kept, third, fourth].map((frame) => frame[50_000])).toEqual([1, 3, 4]);
  });
});

function frameOf(size: number, fill: number): Buffer {
  const frame = Buffer.alloc(size, fill);
  frame.writeUInt32BE(size, 0);
  return frame;
}

function byId(a: unknown, b: unknown): number {
  return (a as [number])[0] - (b as [number])[0];
}
