#!/usr/bin/env node
import { run } from "./run.js";

await run(process.argv.slice(2));

// The SDK keeps a timer for up to a minute after a wait for a session that was given up: nobody shall wait for that.
for (const stream of [process.stdout, process.stderr])
  await new Promise((resolve) => stream.write("", resolve));
process.exit();
