import { expect, it, vi } from "vitest";
import { BrokerLog } from "./broker-log.js";
import { ConnectionLog } from "./connection-log.js";

const refused = {
  type: "refused",
  client: "10.0.0.7:4000",
  entity: "orders",
  detail: "there is no policy 'a'",
} as const;

/** The lines on stderr after `refusals` refused tokens at each of some instants. */
function linesAfter(refusals: number, instants: readonly number[], isVerbose = false): string[] {
  const lines: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    let nowMs = 0;
    const log = new ConnectionLog(new BrokerLog(false, isVerbose), "shop", () => nowMs);
    for (nowMs of instants) for (let count = 0; count < refusals; count++) log.add(refused);
  } finally {
    stderr.mockRestore();
  }
  return lines;
}

it("logs twenty refusals in a minute, and that there were more", () => {
  const lines = linesAfter(30, [0, 59_999, 60_000]);
  const line = "warning: 10.0.0.7:4000 was refused at entity orders: there is no policy 'a'.\n";
  const more = "warning: More clients were refused. --verbose logs more than 20 in a minute.\n";
  expect(lines).toEqual([...Array(20).fill(line), more, ...Array(20).fill(line), more]);
});

it("logs all refusals if the log is verbose", () => {
  expect(linesAfter(30, [0], true)).toHaveLength(30);
});
