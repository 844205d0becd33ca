import { describe, expect, it } from "vitest";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import { type HeldMessage, HeldMessages } from "./held-messages.js";

const mebibyte = 1024 * 1024;

describe("messages that are held", () => {
  it("keep their places beyond the limit, until one that freed its place is removed", () => {
    const { list, freed, message } = openList({ maxMessages: 1 });
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
    const { list, freed, message } = openList();
    const first = message("first", { bytes: 40 * mebibyte });
    list.add(first);
    list.add(message("second", { bytes: 40 * mebibyte }));
    list.add(message("third", { bytes: 20 * mebibyte }));
    expect(freed).toEqual(["first", "third"]);
    list.delete(first);
    expect(freed).toEqual(["first", "third", "second"]);
  });

  it("keep their places until the others take less again, to the byte", async () => {
    const { list, freed, message } = openList();
    list.add(message("half", { bytes: 32 * mebibyte }));
    list.add(message("too large", { bytes: 32 * mebibyte + 1 }));
    list.add(message("other half", { bytes: 32 * mebibyte }));
    expect(freed).toEqual(["half", "other half"]);
    const kept = list.inPlaces;
    await list.readAgain();
    expect(freed).toEqual(["half", "other half"]);
    expect(list.inPlaces).toEqual(kept);
  });

  it("free the place of a single body of more than 64 MiB", () => {
    const { list, freed, message } = openList();
    list.add(message("large", { bytes: 65 * mebibyte }));
    expect(freed).toEqual(["large"]);
  });
});

describe("messages that are held are read again", () => {
  it("after delays that grow until one can be read, and then begin anew", async () => {
    const { list, scheduler, message, read, readable, delays } = openList();
    for (const name of ["a", "b"]) list.add(message(name));
    await scheduler.pass(1_000 + 2_000);
    expect(read).toEqual(["a", "b", "a", "b"]);
    readable.add("a");
    await scheduler.pass(3_000);
    expect([list.size, list.inPlaces]).toEqual([1, []]);
    await scheduler.pass(1_000);
    expect(read).toEqual(["a", "b", "a", "b", "a", "b", "b"]);
    expect(delays).toEqual([0, 1, 2, 0, 1]);
  });

  it("until none is left: that is told once, and no timer runs any more", async () => {
    const { list, scheduler, message, readable, told } = openList();
    list.add(message("a"));
    await scheduler.pass(1_000);
    expect(told).toEqual(["retry"]);
    readable.add("a");
    await scheduler.pass(60_000);
    expect(told).toEqual(["retry", "retry", "empty"]);
    expect(scheduler.timers).toBe(0);
  });

  it("at once on demand, and then after the delay from there", async () => {
    const { list, scheduler, message, read, told } = openList();
    list.add(message("a"));
    await scheduler.pass(999);
    await list.readAgain();
    expect([read, told]).toEqual([["a"], []]);
    await scheduler.pass(1_999);
    expect(read).toHaveLength(1);
    await scheduler.pass(1);
    expect(read).toHaveLength(2);
  });

  it("once more if that is demanded while they are read, however often", async () => {
    const { list, message, read } = openList({ readAgain: () => demand() });
    let demands = 3;
    const demand = async () => {
      if (demands-- > 0) void list.readAgain();
    };
    list.add(message("a"));
    list.add(message("b"));
    await list.readAgain();
    expect(read).toEqual(["a", "b", "a", "b", "a", "b"]);
  });

  it("with those that are added meanwhile only the next time", async () => {
    const { list, scheduler, message, read } = openList({
      readAgain: async () => {
        if (read.length === 1) list.add(message("late"));
        expect(scheduler.timers).toBe(0);
      },
    });
    list.add(message("a"));
    await list.readAgain();
    expect(read).toEqual(["a"]);
    expect(scheduler.timers).toBe(1);
  });

  it("and keep their room meanwhile: one that has kept its place does not get it", async () => {
    const { list, freed, message } = openList({ maxMessages: 1 });
    list.add(message("a"));
    const kept = message("kept");
    list.add(kept);
    expect(freed).toEqual(["a"]);
    await list.readAgain();
    expect(freed).toEqual(["a"]);
    expect(list.inPlaces).toEqual([kept]);
  });

  it("and keep their room meanwhile, from those that are added, too, until they can be read", async () => {
    const { list, freed, message, read, readable } = openList({
      maxMessages: 1,
      readAgain: async () => {
        if (read.length === 1) list.add(late);
      },
    });
    const late = message("late");
    list.add(message("a"));
    await list.readAgain();
    expect([freed, list.inPlaces]).toEqual([["a"], [late]]);
    readable.add("a");
    await list.readAgain();
    expect([freed, list.inPlaces]).toEqual([["a", "late"], []]);
  });

  it("unless their locks were lost: those free their places, and the broker delivers them again", async () => {
    const { list, freed, message, read, told } = openList({ maxMessages: 1 });
    list.add(message("first"));
    list.add(message("lost", { state: "lost" }));
    expect(freed).toEqual(["first"]);
    await list.readAgain();
    expect(read).toEqual(["first"]);
    expect(freed).toEqual(["first", "lost"]);
    expect([list.size, told]).toEqual([1, []]);
  });

  it("unless they were deleted on receipt: those keep their places", async () => {
    const { list, freed, message, read } = openList();
    const deleted = message("deleted", { state: "deleted" });
    list.add(deleted);
    const other = message("other");
    list.add(other);
    list.delete(other);
    await list.readAgain();
    expect([read, freed, list.inPlaces]).toEqual([[], ["other"], [deleted]]);
    expect([list.has(deleted), list.has(other)]).toEqual([true, false]);
  });
});

describe("messages that are held when their processor closes", () => {
  it("are left to it, and not read any more", async () => {
    const { list, scheduler, message, read } = openList();
    const first = message("a");
    list.add(first);
    expect(list.close()).toEqual([first]);
    expect(list.size).toBe(0);
    await scheduler.pass(60_000);
    list.add(message("late"));
    await list.readAgain();
    expect([read, scheduler.timers]).toEqual([[], 0]);
  });

  it("are not read once more, whatever was demanded", async () => {
    const { list, message, read } = openList({
      readAgain: async () => {
        void list.readAgain();
        list.close();
      },
    });
    list.add(message("a"));
    await list.readAgain();
    expect(read).toEqual(["a"]);
  });
});

it("the lock of a message that is held is renewed without end", () => {
  const { list, message, tracked } = openList();
  list.add(message("a"));
  list.add(message("deleted", { state: "deleted" }));
  expect(tracked).toEqual([Number.POSITIVE_INFINITY]);
});

/** A list whose delays are one second, two, three …; what it did, and which messages can be read. */
function openList({ maxMessages = 100, readAgain = async () => {} } = {}) {
  const scheduler = manualScheduler();
  const [freed, read, told]: [string[], string[], string[]] = [[], [], []];
  const [delays, tracked]: [number[], number[]] = [[], []];
  const readable = new Set<string>();
  const list: HeldMessages = new HeldMessages({
    scheduler,
    renewal: { track: (_: unknown, durationMs: number) => void tracked.push(durationMs) } as never,
    maxMessages,
    delayMs: (attempts) => {
      delays.push(attempts);
      return 1_000 * (attempts + 1);
    },
    onRetry: () => void told.push("retry"),
    async readAgain(message) {
      const name = nameOf(message);
      read.push(name);
      await readAgain();
      if (!readable.has(name)) list.add(message);
    },
    onEmpty: () => void told.push("empty"),
  });
  const message = (name: string, { bytes = 1, state = "open" as "open" | "lost" | "deleted" } = {}) =>
    ({
      delivered: { body: new Uint8Array(bytes), messageId: name },
      delivery: state === "deleted" ? undefined : { state },
      free: () => void freed.push(name),
    }) as unknown as HeldMessage;
  return { list, scheduler, freed, read, told, delays, tracked, readable, message };
}

function nameOf({ delivered: { messageId } }: HeldMessage): string {
  return String(messageId);
}
