import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { HostAnswer, HostRequest } from "./command-host.js";

// Runs the compiled command, one run after the other, with the standard input and output that it was started with: loading the command takes a
// second each time. It gets its requests over a socket, and marks the end of what a run wrote.

const { run } = (await import(new URL("../../../packages/cli/dist/run.js", import.meta.url).href)) as {
  run(args: readonly string[]): Promise<void>;
};
const terminal = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
const socket = connect(Number(process.argv[2]), "127.0.0.1");
const answer = (message: HostAnswer | { readonly pid: number }) =>
  socket.write(`${JSON.stringify(message)}\n`);

// A Ctrl-C that comes too late for a run must not end the others.
process.on("SIGINT", ignored);
answer({ pid: process.pid });
for await (const line of createInterface({ input: socket })) {
  const { args, cwd, env, input, end } = JSON.parse(line) as HostRequest;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.defineProperty(
    process,
    "stdin",
    input === undefined
      ? terminal
      : { value: Readable.from([Buffer.from(input, "base64")]), configurable: true },
  );
  process.exitCode = undefined;
  await run(args);
  const exitCode = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  for (const signal of ["SIGINT", "SIGTERM", "error"]) process.removeAllListeners(signal);
  process.on("SIGINT", ignored);
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners("error");
    await new Promise((resolve) => stream.write(end, resolve));
  }
  answer({ exitCode });
}
await once(socket, "close").catch(() => {});
process.exit(0);

function ignored(): void {}
