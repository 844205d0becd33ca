import { describe, expect, it } from "vitest";
import { isGrpc } from "./is-grpc.js";

const isGrpcHex = (hex: string) => isGrpc(Buffer.from(hex.replaceAll(" ", ""), "hex"));

// Source of the messages: Protobuf, Encoding: a number, a text, a nested message, a group.
describe("isGrpc", () => {
  it.each([
    ["a message", "00 00000003 089601"],
    ["an empty message", "00 00000000"],
    ["a text and a nested message", "00 0000000e 120774657374696e67 1a03089601"],
    ["numbers of 32 and 64 bits", "00 0000000e 0d01000000 110200000000000000"],
    ["a group", "00 00000005 1b 089601 1c"],
    ["two messages", "00 00000003 089601 00 00000002 0801"],
    ["a compressed message behind another", "00 00000002 0801 01 00000003 ffffff"],
  ])("recognises %s", (_, hex) => {
    expect(isGrpcHex(hex)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["a length beyond the end", "00 00000004 089601"],
    ["bytes behind the last message", "00 00000003 089601 00"],
    ["a field number of 0", "00 00000002 0001"],
    ["a wire type that does not exist", "00 00000002 0f01"],
    ["a number without an end", "00 00000003 0896ff"],
    ["a text beyond the end", "00 00000002 1207"],
    ["a number of more than ten bytes", "00 0000000d 08 ffffffffffffffffffffff01"],
    ["another flag", "02 00000003 089601"],
    ["an id and an Avro payload", "00 0000000a 0c412d31303432 86cb01"],
  ])("does not recognise %s", (_, hex) => {
    expect(isGrpcHex(hex)).toBe(false);
  });
});
