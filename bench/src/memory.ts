import { printed } from "./harness/child.js";
import type { Probe, Suite } from "./harness/probe.js";

/** The resident memory of queued messages, measured in separate processes. */
export const memorySuite: Suite = {
  process: () =>
    ratioOf(
      "memory-probe",
      "RSS of 100,000 queued messages of 1 KB JSON and the process, over their bytes",
      2.5,
    ),
  queued: () => ratioOf("queued-probe", "RSS per queued message of 1 KB, over its bytes on the wire", 1.25),
};

function ratioOf(program: string, name: string, target: number): Probe {
  const subject = () => printed(new URL(`./${program}.js`, import.meta.url));
  const line = { name, unit: "figure", target } as const;
  return { rounds: () => 3, lines: [line], open: () => ({ sides: { subject } }) };
}
