import { systemScheduler } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
import { type HeldMessage, HeldMessages } from "./held-messages.js";

const mebibyte = 1024 * 1024;

describe("messages that are held", () => {
  it("keep their places beyond the limit, until one that freed its place is removed", () => {
    const { list, freed, message } = openList(1);
    const first = message("first");
    const second = message("second");
    list.add(first);
    list.add(second);
    expect(freed).toEqual(["first"]);
    expect(list.inPlaces).toEqual([second]);
    expect(list.delete(first)).toBe(true);
    expect(freed).toEqual(["first", "second"]);
    expect([list.size, list.inPlaces]).toEqual([1, []]);
    expect(list.delete(first)).toBe(false);
  });

  it("keep their places when the bodies of the others take 64 MiB together", () => {
    const { list, freed, message } = openList(100);
    const first = message("first", 40 * mebibyte);
    list.add(first);
    list.add(message("second", 40 * mebibyte));
    list.add(message("third", 20 * mebibyte));
    expect(freed).toEqual(["first", "third"]);
    list.delete(first);
    expect(freed).toEqual(["first", "third", "second"]);
  });

  it("free the place of a single body of more than 64 MiB", () => {
    const { list, freed, message } = openList(100);
    list.add(message("large", 65 * mebibyte));
    expect(freed).toEqual(["large"]);
  });
});

/** A list that reads nothing, and the names of the messages that freed their places. */
function openList(maxMessages: number) {
  const freed: string[] = [];
  const list = new HeldMessages({
    scheduler: { ...systemScheduler, schedule: () => ({ cancel: () => {}, unref: () => {} }) },
    renewal: { track: () => {} } as never,
    maxMessages,
    delayMs: () => 1_000,
    onRetry: () => {},
    readAgain: async () => {},
    onEmpty: () => {},
  });
  const message = (name: string, bytes = 1) =>
    ({
      delivered: { body: new Uint8Array(bytes) },
      delivery: {},
      free: () => void freed.push(name),
    }) as unknown as HeldMessage;
  return { list, freed, message };
}
