import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { checksumOf } from "./checksum.js";

it("the checksum of a payload is the CRC-32 of zlib, of any length and at any place", () => {
  const bytes = randomBytes(600);
  const noKey = new Uint8Array();
  const [ours, zlibs]: [number[], number[]] = [[], []];
  for (let length = 0; length <= 300; length++) {
    const start = length % 8;
    const end = start + length;
    ours.push(checksumOf(noKey, 0, 0, bytes, start, end));
    zlibs.push(crc32(bytes.subarray(start, end), 0x811c9dc5));
  }
  expect(ours).toEqual(zlibs);
});
