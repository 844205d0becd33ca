import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { run } from "../dist/run.js";

// Runs the compiled command for tests, one run after the other, in one process: loading the command takes a second each time. It gets arguments,
// folder, environment and standard input by message and answers with what the run wrote and its exit code.

const home = process.cwd();

process.on("message", async ({ args, cwd, env, input }) => {
  process.chdir(cwd ?? home);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const written = { stdout: [], stderr: [] };
  for (const [name, chunks] of Object.entries(written)) {
    process[name].removeAllListeners("error");
    process[name].write = (chunk, encoding, done) => {
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      const written = typeof encoding === "function" ? encoding : done;
      if (written !== undefined) process.nextTick(written);
      return true;
    };
  }
  Object.defineProperty(process, "stdin", {
    value: Readable.from([Buffer.from(input, "base64")]),
    configurable: true,
  });
  process.exitCode = undefined;
  await run(args);
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  const exitCode = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.send({
    exitCode,
    stdout: Buffer.concat(written.stdout).toString("utf8"),
    stderr: Buffer.concat(written.stderr).toString("utf8"),
  });
});
process.on("disconnect", () => process.exit());
