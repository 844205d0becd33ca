import { describe, expect, it } from "vitest";
import { receiverKinds } from "./receiver-kinds.js";
import { faults, runCell } from "./run-cell.js";

const cells = Object.keys(faults).flatMap((fault) =>
  Object.keys(receiverKinds).map((kind) => ({ fault, kind })),
);
/** No error reports these faults. The end of a socket is reported, and the SDK closes a link that does not return its credit to a call. */
const isSilent = (fault: string) => !/half closed|credit is lost/.test(fault);

describe("a receiver on the official SDK whose link stalls", () => {
  it.concurrent.each(cells)("continues: $kind, $fault", async ({ fault, kind }) => {
    const watchdog = { stallTimeoutInMs: 1_000, answerTimeoutInMs: 4_000 };
    const options = { fault, kind, watchdog, lockDurationMs: 5_000, timeoutMs: 40_000 };
    const { recoveryMs, stalls, linksStalled } = await runCell(options);
    expect(recoveryMs).toBeLessThan(40_000);
    if (isSilent(fault)) expect(stalls.length).toBeGreaterThan(0);
    expect(linksStalled).toBe(stalls.length);
  });
});
