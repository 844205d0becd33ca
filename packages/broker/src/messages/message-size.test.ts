import { describe, expect, it } from "vitest";
import { codeOf, message, openFixture } from "../fixture.test-support.js";
import { sizeOfApplicationProperties } from "./message-size.js";

/** The size of the property `p` without the bytes of its value: its name, and the fixed size of a value. */
const name = 4 + 1;
const each = 4;

describe("the size of application properties", () => {
  it.each([
    ["text, in UTF-8", "größer", 8],
    ["bytes", new Uint8Array(3), 3],
    ["a view", new DataView(new ArrayBuffer(16), 4, 5), 5],
    ["a buffer", new ArrayBuffer(7), 7],
    ["a number", 1, 8],
    ["a bigint", 1n, 8],
    ["a boolean", true, 8],
    ["nothing", null, 8],
    ["a date", new Date(0), 8],
  ])("counts %s", (_, value, bytes) => {
    expect(sizeOfApplicationProperties({ p: value })).toBe(name + each + bytes);
  });

  it("counts names", () => {
    expect(sizeOfApplicationProperties({ grün: 1, b: 2 })).toBe(4 + 5 + each + 8 + (4 + 1 + each + 8));
  });

  it.each([
    ["a list", ["ab", 1, new Uint8Array(3)], each + (each + 2) + (each + 8) + (each + 3)],
    ["a list with holes", Object.assign([], { 1000000: "a" }), each + (each + 1)],
    ["a set", new Set(["a", "b"]), each + 2 * (each + 1)],
    ["a map, keys and all", new Map<unknown, unknown>([["key", 1]]), each + (each + 3) + (each + 8)],
    ["an object, keys and all", { key: "value" }, each + (each + 3) + (each + 5)],
    ["lists in lists", [["a"], ["a"], []], each + 2 * (each + each + 1) + each],
    ["a list in a map in a list", [new Map([["k", ["a"]]])], each + each + (each + 1) + each + (each + 1)],
  ])("counts %s with its content", (_, value, bytes) => {
    expect(sizeOfApplicationProperties({ p: value })).toBe(name + bytes);
  });

  it("counts an object once that a value contains many times", () => {
    let nested: unknown[] = ["text"];
    for (let level = 0; level < 100; level++) nested = [nested, nested];
    expect(sizeOfApplicationProperties({ p: nested })).toBe(name + 101 * each + (each + 4));
    const itself: unknown[] = [];
    itself.push(itself);
    expect(sizeOfApplicationProperties({ p: itself })).toBe(name + each);
  });

  it("counts values nested at any depth", () => {
    let nested: string | object = "text";
    for (let level = 0; level < 100_000; level++) nested = [nested];
    expect(sizeOfApplicationProperties({ p: nested })).toBe(name + 100_000 * each + (each + 4));
  });

  it("counts more than 64 KB in a list", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    const sending = (length: number) =>
      fixture.broker
        .sender("orders")
        .send(message("", { applicationProperties: { list: ["x".repeat(length)] } }));
    const overhead = sizeOfApplicationProperties({ list: [""] });
    await sending(64 * 1024 - overhead);
    expect(await codeOf(sending(64 * 1024 - overhead + 1))).toBe("message-size-exceeded");
  });
});
