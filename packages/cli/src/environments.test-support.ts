import { type ChildProcess, fork, type StdioOptions, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Broker, createBroker, openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

/** How a run of the real command ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The standard output as JSON. */
  json<T = Record<string, unknown>>(): T;
  /** The standard output by line. */
  lines<T = Record<string, unknown>>(): T[];
}

/** How to run the command. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** A device to write the standard output, or the standard error, to. */
  readonly stdoutTo?: string;
  readonly stderrTo?: string;
  /** Runs in a new process, without the modules of earlier runs, such as a configuration of the same name. */
  readonly isFresh?: boolean;
  /** Sends Ctrl-C as soon as this resolves to true. */
  readonly interruptWhen?: () => Promise<boolean>;
}

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

/** A file in the fixtures folder. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** The address of a compiled package, for configurations outside of the workspace. */
export function moduleOf(name: string): string {
  return new URL(`../../${name}/dist/index.js`, import.meta.url).href;
}

/** Runs the compiled command: in a process that all runs share, or in a new one to test devices or signals. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { stdoutTo, stderrTo, interruptWhen, isFresh = false } = options;
  const isShared =
    stdoutTo === undefined && stderrTo === undefined && interruptWhen === undefined && !isFresh;
  return isShared ? runInHost(args, options) : runInProcess(args, options);
}

/** The result that the host sends. */
type HostAnswer = Pick<Ended, "exitCode" | "stdout" | "stderr">;

const hostProgram = fileURLToPath(new URL("../test/command-host.mjs", import.meta.url));
let host: ChildProcess | undefined;
let lastRun: Promise<unknown> = Promise.resolve();

/** Runs are sequential, since they share a working directory and an environment. */
function runInHost(args: readonly string[], { cwd, env = {}, input = "" }: RunOptions): Promise<Ended> {
  const run = lastRun.then(async () => {
    host ??= fork(hostProgram, [], { stdio: ["ignore", "ignore", "inherit", "ipc"], env: inheritedEnv() });
    const current = host;
    const answer = new Promise<HostAnswer>((resolve, reject) => {
      const onExit = (code: number | null) => {
        host = undefined;
        reject(new Error(`The command ended its process with ${code}.`));
      };
      current.once("exit", onExit).once("message", (message) => {
        current.off("exit", onExit);
        resolve(message as HostAnswer);
      });
    });
    const definedEnv = Object.entries({ ...inheritedEnv(), ...env }).filter(
      ([, value]) => value !== undefined,
    );
    current.send({
      args,
      cwd,
      env: Object.fromEntries(definedEnv),
      input: Buffer.from(input).toString("base64"),
    });
    return ended(await answer);
  });
  lastRun = run.catch(() => {});
  return run;
}

function inheritedEnv(): NodeJS.ProcessEnv {
  const { SERVICEBUS_CONNECTION_STRING: _, NO_COLOR: __, FORCE_COLOR: ___, ...inherited } = process.env;
  return inherited;
}

function ended({ exitCode, stdout, stderr }: HostAnswer): Ended {
  const lines = <T>() =>
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  return { exitCode, stdout, stderr, json: <T>() => JSON.parse(stdout) as T, lines };
}

function runInProcess(
  args: readonly string[],
  { cwd, env = {}, input, stdoutTo, stderrTo, interruptWhen }: RunOptions,
): Promise<Ended> {
  const devices = [stdoutTo, stderrTo].map((path) => (path === undefined ? undefined : openSync(path, "w")));
  const stdio = ["pipe", ...devices.map((file) => file ?? "pipe")] as StdioOptions;
  const child = spawn(process.execPath, [bin, ...args], { cwd, stdio, env: { ...inheritedEnv(), ...env } });
  for (const file of devices) if (file !== undefined) closeSync(file);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin?.on("error", () => {}).end(input ?? "");
  if (interruptWhen !== undefined) void interrupt(child, interruptWhen);
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (exitCode) => resolve(ended({ exitCode, stdout, stderr })));
  });
}

/** Sends Ctrl-C while the command reads an endless input; resolves with the signal that ended it. */
export async function interruptReading(args: readonly string[]): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["pipe", "ignore", "ignore"] });
  // More than a pipe's buffer: the callback is called only when the command reads.
  child.stdin.on("error", () => {}).write(new Uint8Array(1_000_000), () => child.kill("SIGINT"));
  return await new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (_, signal) => resolve(signal));
  });
}

async function interrupt(child: ChildProcess, when: () => Promise<boolean>): Promise<void> {
  while (child.exitCode === null && !(await when())) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
}

/** A temporary folder for one test. */
export async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "waybill-cli-"));
  return {
    path,
    write: async (name: string, content: string | Uint8Array) => {
      await writeFile(join(path, name), content);
      return join(path, name);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

/** A broker that the command uses, and that the test can inspect between two runs. */
export interface Environment extends AsyncDisposable {
  readonly folder: string;
  readonly connectionString?: string;
  write(name: string, content: string | Uint8Array): Promise<string>;
  /** Calls a function with the broker in the process of the test. */
  withBroker<T>(work: (broker: Broker) => Promise<T>): Promise<T>;
  /** Runs the command against the broker. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The arguments that name the entities, if the broker does not list them. */
  readonly entities: (...paths: string[]) => string[];
}

/** A data directory, which the command opens itself. */
export async function openDataEnvironment(): Promise<Environment> {
  const folder = await openFolder();
  const data = join(folder.path, "broker");
  return {
    folder: folder.path,
    write: folder.write,
    async withBroker(work) {
      await using broker = await openBroker({ storage: await openDurableStorage(data) });
      return await work(broker);
    },
    run: (args, options) => runCommand([...args, "--data", data], { cwd: folder.path, ...options }),
    entities: () => [],
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

/** The local broker over AMQP, with the official SDK. */
export async function openServerEnvironment(): Promise<Environment> {
  const folder = await openFolder();
  const broker = createBroker();
  const server = await serve(broker, { port: 0 });
  const env = { SERVICEBUS_CONNECTION_STRING: server.connectionString };
  return {
    folder: folder.path,
    connectionString: server.connectionString,
    write: folder.write,
    withBroker: (work) => work(broker),
    run: (args, options) =>
      runCommand(args, { cwd: folder.path, ...options, env: { ...env, ...options?.env } }),
    entities: () => [],
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export const environments = [
  { name: "a local data directory", open: openDataEnvironment },
  { name: "a namespace over AMQP", open: openServerEnvironment },
] as const;

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });

/** A message in JSON, or in MessagePack. */
export function encoded(body: unknown, format: "json" | "msgpack" = "json"): EncodedMessage {
  const writeAs = { serializer: format };
  return pipeline.serialize({ body, subject: "order-placed" }, { writeAs }) as EncodedMessage;
}

/** An undeserializable message. */
export const garbage: EncodedMessage = { body: Uint8Array.of(0xff, 0xfe, 0xfd), messageId: "garbage" };

/** Sends messages, and optionally dead-letters them. */
export async function fill(
  broker: Broker,
  queue: string,
  messages: readonly EncodedMessage[],
  deadLetterReason?: string,
): Promise<void> {
  await using transport = localTransport(broker);
  await transport.createSender(queue).send(messages);
  if (deadLetterReason === undefined) return;
  const receiver = transport.createReceiver({ queue }, "peekLock");
  for (const message of await receiver.receive({ maxMessages: messages.length, maxWaitTimeInMs: 0 }))
    await receiver.deadLetter(message.settlement!, {
      deadLetterReason,
      deadLetterErrorDescription: `because of ${deadLetterReason}`,
    });
}

/** The waiting messages of an entity. */
export async function waiting(broker: Broker, address: EntityAddress) {
  await using transport = localTransport(broker);
  return await transport.createReceiver(address, "peekLock").peek({ maxMessages: 1_000 });
}
