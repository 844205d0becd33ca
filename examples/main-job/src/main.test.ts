import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { parseOptions } from "./options.js";
import { run } from "./run.js";

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));

describe("the main job", () => {
  it("delivers every payload in every era, and orders of ten origins, as planned", {
    timeout: 240_000,
  }, async () => {
    const { isAsPlanned, printed } = await overLocalTransport();
    expect(isAsPlanned).toBe(true);
    expect(printed).toMatch(/As planned, in [\d.]+ s: \d+ values decoded and deeply equal to their sources/);
    expect(printed).toMatch(/│ all eras +│ +│ +987 │/);
    for (const line of ["json, 2nd in the chain", "avro, 1st in the chain", "msgpack, 3rd in the chain"])
      expect(printed).toContain(line);
    for (const reason of [
      "ValidationFailed",
      "DeserializationFailed",
      "DecompressionFailed",
      "NoDeserializer",
    ])
      expect(printed).toContain(reason);
    expect(printed.match(/deadLetterErrorDescription/g)).toHaveLength(2);
    const act = printed.slice(printed.indexOf("One queue and one chain"));
    expect(act.match(/│ +20 │ (?:18|19|20) /g)).toHaveLength(10);
    expect(act.match(/1 DeserializationFailed/g)).toHaveLength(9);
    expect(act.match(/1 UnknownMessageType/g)).toHaveLength(4);
    expect(act).toMatch(/of 200 messages of 10 origins 187 decoded .*, 13 dead-lettered .*, none lost/);
  });

  it("has the same result over AMQP, through the official SDK", { timeout: 240_000 }, async () => {
    const { isAsPlanned, printed } = await runHere("--transport", "azure");
    expect(isAsPlanned).toBe(true);
    expect(tableOf(printed)).toMatch(/│ all eras +│ +│ +987 │/);
    expect(tableOf(printed)).toBe(tableOf((await overLocalTransport()).printed));
  });

  it("runs against waybill broker, by its connection string", { timeout: 240_000 }, async () => {
    await using broker = await startBroker();
    const programArguments = ["--transport", "azure", "--connection-string", broker.connectionString];
    const { code, stdout, stderr } = await runProgram("--messages", "30", ...programArguments);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    // Its output is not a terminal.
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toContain("to the broker of the connection string");
    expect(stdout.match(/none lost/g)).toHaveLength(2);
  });

  it("prints its help", { timeout: 60_000 }, async () => {
    const { code, stdout } = await runProgram("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("--messages N");
  });

  it.each([
    ["--messages", "0"],
    ["--transport", "pigeon"],
    ["--messages", "many"],
    ["--unknown"],
    ["--connection-string", "x"],
  ])("exits with 2 for the command line %s %s", { timeout: 60_000 }, async (...args) => {
    const { code, stderr } = await runProgram(...args.filter((arg) => arg !== undefined));
    expect(code).toBe(2);
    expect(stderr).toContain("Usage:");
  });
});

let local: ReturnType<typeof runHere> | undefined;

/** The run whose result two tests check. */
function overLocalTransport(): ReturnType<typeof runHere> {
  local ??= runHere();
  return local;
}

/** The whole job in this process: the runs share the published schemas, because compiling them takes longer than the job. */
async function runHere(...args: string[]): Promise<{ isAsPlanned: boolean; printed: string }> {
  const texts: string[] = [];
  const isAsPlanned = await run(parseOptions(args), (text) => texts.push(text));
  return { isAsPlanned, printed: stripVTControlCharacters(texts.join("\n")) };
}

function tableOf(stdout: string): string {
  return stdout.slice(stdout.indexOf("┌"), stdout.indexOf("Two messages of the dead-letter queue"));
}

/** `waybill broker` in a separate process, on a free port. */
async function startBroker() {
  const bin = fileURLToPath(new URL("../../../packages/cli/dist/bin.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "broker", "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let connectionString = "";
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { readonly event: string; readonly connectionString?: string };
    connectionString = event.connectionString ?? connectionString;
    if (event.event === "ready") break;
  }
  return {
    connectionString,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function runProgram(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: withoutColours() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

function withoutColours(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = process.env;
  return env;
}
