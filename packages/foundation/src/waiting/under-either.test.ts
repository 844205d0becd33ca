import { describe, expect, it } from "vitest";
import { underEither } from "./under-either.js";

describe("underEither", () => {
  it("causes no leak warning when many calls run concurrently", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = Array.from({ length: 20 }, (_, i) =>
      underEither(
        first.signal,
        i % 2 === 0 ? second.signal : undefined,
        (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true })),
      ),
    );
    first.abort();
    await Promise.all(waits);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it.each([0, 1])(
    "aborts with either signal and its reason, also if the signal had already aborted (%d)",
    async (which) => {
      const controllers = [new AbortController(), new AbortController()] as const;
      const reasonOf = () =>
        underEither(controllers[0].signal, controllers[1].signal, async (signal) => {
          if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return signal.reason as unknown;
        });
      const reason = reasonOf();
      controllers[which]!.abort("enough");
      expect(await reason).toBe("enough");
      expect(await reasonOf()).toBe("enough");
    },
  );
});
