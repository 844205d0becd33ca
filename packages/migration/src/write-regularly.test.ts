import { describe, expect, it } from "vitest";
import { openFixture } from "./fixture.test-support.js";
import { type RegularWrites, writeRegularly } from "./write-regularly.js";

/** Lets what is pending go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Writes every second, with a log of what happened. */
async function openWrites(writes: Partial<RegularWrites> = {}) {
  const fixture = openFixture();
  const log: unknown[] = [];
  const seconds = () => (fixture.clock.now() - start) / 1_000;
  const start = fixture.clock.now();
  let unreferenced = 0;
  const scheduler = fixture.transport.scheduler ?? expect.fail();
  const close = await writeRegularly({
    write: async () => void log.push(`write at ${seconds()}`),
    writeLast: async () => void log.push(`last at ${seconds()}`),
    intervalMs: 1_000,
    onError: (error) => log.push(error),
    scheduler: {
      now: () => scheduler.now(),
      schedule(delayMs, run) {
        const timer = scheduler.schedule(delayMs, run);
        return { cancel: () => timer.cancel(), unref: () => void unreferenced++ };
      },
    },
    ...writes,
  });
  return {
    log,
    close,
    unreferenced: () => unreferenced,
    async advance(ms: number) {
      fixture.clock.advance(ms);
      await turn();
    },
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

describe("writing regularly", () => {
  it("writes at once, then at each interval, and the last time when it is closed", async () => {
    await using writes = await openWrites();
    await writes.advance(999);
    await writes.advance(1);
    await writes.advance(1_000);
    await writes.close();
    expect(writes.log).toEqual(["write at 0", "write at 1", "write at 2", "last at 2"]);
    await writes.close();
    await writes.advance(10_000);
    expect(writes.log).toHaveLength(4);
  });

  it("keeps no process alive", async () => {
    await using writes = await openWrites();
    await writes.advance(1_000);
    expect(writes.unreferenced()).toBe(2);
  });

  it("reports a write that fails, and writes again at the next interval", async () => {
    const refused = new Error("refused");
    let attempts = 0;
    const write = () => (++attempts === 2 ? Promise.reject(refused) : Promise.resolve());
    await using writes = await openWrites({ write });
    await writes.advance(1_000);
    await writes.advance(1_000);
    expect([attempts, writes.log]).toEqual([3, [refused]]);
    await using silent = await openWrites({ write, onError: undefined });
    attempts = 1;
    await silent.advance(1_000);
    await silent.advance(1_000);
    expect(attempts).toBe(3);
  });

  it("is not begun if the first write fails", async () => {
    const refused = new Error("refused");
    await expect(openWrites({ write: () => Promise.reject(refused) })).rejects.toBe(refused);
  });

  it("waits for a write under way before the last one", async () => {
    const log: string[] = [];
    let finish = () => {};
    let attempts = 0;
    await using writes = await openWrites({
      write: () =>
        ++attempts === 1
          ? Promise.resolve()
          : new Promise((resolve) => {
              finish = () => resolve(void log.push("written"));
            }),
      writeLast: async () => void log.push("last"),
    });
    await writes.advance(1_000);
    const closing = writes.close();
    await turn();
    expect(log).toEqual([]);
    finish();
    await closing;
    expect(log).toEqual(["written", "last"]);
    await writes.advance(10_000);
    expect(attempts).toBe(2);
  });
});
