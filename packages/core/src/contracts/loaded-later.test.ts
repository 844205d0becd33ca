import { describe, expect, it } from "vitest";
import { loadedLater } from "./loaded-later.js";

/** Code that is there once `isThere`, and how often it was asked for. */
function code() {
  const source = {
    isThere: true,
    loads: 0,
    async load() {
      source.loads++;
      if (!source.isThere) throw new Error("Cannot find module 'parts.js'");
      return { part: "loaded" };
    },
  };
  return source;
}

describe("code that is loaded later", () => {
  it("is loaded at the first call, and is there at once at all others", async () => {
    const source = code();
    const parts = loadedLater("parts", source.load);
    expect(source.loads).toBe(0);
    const loading = parts();
    expect(loading).toBeInstanceOf(Promise);
    expect(await loading).toEqual({ part: "loaded" });
    expect(parts()).toEqual({ part: "loaded" });
    expect(source.loads).toBe(1);
  });

  it("is loaded once for all that ask for it meanwhile", async () => {
    const source = code();
    const parts = loadedLater("parts", source.load);
    expect(await Promise.all([parts(), parts()])).toHaveLength(2);
    expect(source.loads).toBe(1);
  });

  it("is named by the error if it cannot be loaded, and the next call tries again", async () => {
    const source = code();
    const parts = loadedLater("parts", source.load);
    source.isThere = false;
    await expect(parts()).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      text: expect.stringMatching(
        /^The code for parts could not be loaded.*: Cannot find module 'parts.js'$/,
      ),
      cause: { message: "Cannot find module 'parts.js'" },
    });
    source.isThere = true;
    expect(await parts()).toEqual({ part: "loaded" });
    expect(source.loads).toBe(2);
  });

  it("is not loaded if the program provides it", () => {
    const source = code();
    const parts = loadedLater("parts", source.load);
    parts.provide({ part: "provided" });
    expect([parts(), source.loads]).toEqual([{ part: "provided" }, 0]);
  });
});
