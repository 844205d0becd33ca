import type { Fixture } from "../fixture.js";
import { beforeTheMigration } from "./1-before.js";
import { readBoth } from "./2-expand.js";
import { writeSome } from "./3-write-some.js";
import { repair } from "./4-repair.js";
import { writeNew } from "./5-write-new.js";
import { drain } from "./6-drain.js";
import { retire } from "./7-retire.js";
import { auditAll } from "./8-audit.js";

/** A phase of the migration. */
export interface Phase {
  /** The day of the story on which it runs. */
  readonly day: number;
  readonly title: string;
  readonly run: (fixture: Fixture) => Promise<void>;
}

/** The phases in their order. */
export const phases: Readonly<Record<string, Phase>> = {
  before: { day: 1, title: "JSON version 1, as ever", run: beforeTheMigration },
  expand: { day: 2, title: "Expand: readers read both", run: readBoth },
  "write-some": { day: 3, title: "Write 25 % new, and a roll-back", run: writeSome },
  repair: { day: 4, title: "Repair what was dead-lettered", run: repair },
  "write-new": { day: 5, title: "Write everything new", run: writeNew },
  drain: { day: 14, title: "Drain what was written before", run: drain },
  retire: { day: 21, title: "Contract: retire JSON and version 1", run: retire },
  audit: { day: 22, title: "The audit", run: auditAll },
};
