import { printed } from "./harness/child.js";
import type { Probe, Shortfall, Suite } from "./harness/probe.js";

/** The resident memory of queued messages, measured in separate processes. */
export const memorySuite: Suite = {
  process: () =>
    ratioOf(
      "memory-probe",
      "RSS of 100,000 queued messages of 1 KB JSON and the process, over their bytes",
      2.5,
    ),
  queued: () =>
    ratioOf("queued-probe", "RSS per queued message of 1 KB, over its bytes on the wire", 1.25, {
      accepted: 1.5,
      reason:
        "348 bytes a message beside its bytes: 128 for its state, 152 for its properties, 40 for its id, 16 for its time, 9 in the index",
    }),
};

function ratioOf(program: string, name: string, target: number, shortfall?: Shortfall): Probe {
  const subject = () => printed(new URL(`./${program}.js`, import.meta.url));
  const line = { name, unit: "figure", target, shortfall } as const;
  return { rounds: () => 3, lines: [line], open: () => ({ sides: { subject } }) };
}
