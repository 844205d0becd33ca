import { openFixture } from "./fixture.js";
import { phases } from "./phases/phases.js";

// One phase in a separate process: it continues from what the earlier phases left on the disk.

const [name = "", directory] = process.argv.slice(2);
const phase = phases[name];
if (phase === undefined || directory === undefined)
  throw new TypeError(`Usage: phase.js ${Object.keys(phases).join("|")} DIRECTORY`);

await using fixture = await openFixture(directory, phase.day);
await phase.run(fixture);
