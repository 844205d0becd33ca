import { afterEach, beforeEach, expect } from "vitest";
import { quiet } from "./fixture.js";

/** Fails every test of the file that causes an unhandled rejection, which would end the process. */
export function expectNoUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);

  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });

  afterEach(async () => {
    await quiet();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
}
