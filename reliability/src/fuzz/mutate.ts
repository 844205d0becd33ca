import { pick, type Random } from "waybill-harness/random.js";

/** A copy of a stream of AMQP frames with one to four things wrong with it. */
export function mutate(stream: Uint8Array, random: Random): Buffer {
  let bytes = Buffer.from(stream);
  for (let count = 1 + random(4); count > 0 && bytes.length > 8; count--) {
    bytes = pick(mutations, random)(bytes, random);
  }
  return bytes;
}

type Mutation = (bytes: Buffer<ArrayBuffer>, random: Random) => Buffer<ArrayBuffer>;

const interesting = [
  0x00, 0x01, 0x40, 0x41, 0x43, 0x45, 0x52, 0x53, 0x70, 0x7f, 0x80, 0xb0, 0xc0, 0xd0, 0xf0, 0xff,
];

const mutations: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << random(8));
    return bytes;
  },
  function setByte(bytes, random) {
    bytes[random(bytes.length)] = pick(interesting, random);
    return bytes;
  },
  function setWord(bytes, random) {
    const words = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, random(0xffffffff)];
    bytes.writeUInt32BE(pick(words, random), random(bytes.length - 4));
    return bytes;
  },
  function insertBytes(bytes, random) {
    const at = random(bytes.length);
    const inserted = Buffer.alloc(1 + random(16), random(256));
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  },
  function removeBytes(bytes, random) {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(16))]);
  },
  function cutOff(bytes, random) {
    return Buffer.from(bytes.subarray(0, 8 + random(bytes.length - 8)));
  },
  function repeatFrame(bytes, random) {
    const [start, end] = pickFrame(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  function dropFrame(bytes, random) {
    const [start, end] = pickFrame(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function moveFrame(bytes, random) {
    const [start, end] = pickFrame(bytes, random);
    const rest = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    const [, at] = pickFrame(rest, random);
    return Buffer.concat([rest.subarray(0, at), bytes.subarray(start, end), rest.subarray(at)]);
  },
  function changeFrameBody(bytes, random) {
    const [start, end] = pickFrame(bytes, random);
    if (end - start <= 8) return bytes;
    bytes[start + 8 + random(end - start - 8)] = pick(interesting, random);
    return bytes;
  },
];

/** A frame's place in the stream, as far as the stream still is one. */
function pickFrame(bytes: Buffer, random: Random): [start: number, end: number] {
  const starts: number[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += frameSize(bytes, at)) starts.push(at);
  const start = starts[random(Math.max(1, starts.length))];
  return start === undefined ? [0, 0] : [start, Math.min(bytes.length, start + frameSize(bytes, start))];
}

function frameSize(bytes: Buffer, at: number): number {
  const isProtocolHeader = bytes.toString("latin1", at, at + 4) === "AMQP";
  return isProtocolHeader ? 8 : Math.max(8, bytes.readUInt32BE(at));
}
