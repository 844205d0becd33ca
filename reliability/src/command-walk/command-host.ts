import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { listen } from "waybill-harness/ports.js";

/** What the host runs. */
export interface HostRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The standard input in Base64; undefined: that of the terminal. */
  readonly input: string | undefined;
  /** Marks the end of the output. */
  readonly end: string;
}

/** How a run ended. */
export interface HostAnswer {
  readonly exitCode: number;
}

/** One run of the command. */
export interface CommandRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
  /** Typed at the terminal once this stands on it. */
  readonly keys?: { readonly after: RegExp; readonly text: string } | undefined;
  /** Ctrl-C is pressed once this was written. */
  readonly interruptAfter?: RegExp | undefined;
}

/** What a run wrote: on a terminal everything to `stdout`. */
export interface CommandOutput extends HostAnswer {
  readonly stdout: string;
  readonly stderr: string;
}

/** The width of the terminal. */
const columns = 100;
const endMark = "\u001e";
const program = fileURLToPath(new URL("./host.js", import.meta.url));

/** A process that runs the command on pipes, or on a pseudo-terminal that `script` of util-linux makes. */
export class CommandHost {
  readonly #child: ChildProcess;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string>;
  readonly #isTerminal: boolean;
  readonly #pid: number;

  private constructor(
    child: ChildProcess,
    server: Server,
    socket: Socket,
    answers: AsyncIterator<string>,
    isTerminal: boolean,
    pid: number,
  ) {
    this.#child = child;
    this.#server = server;
    this.#socket = socket;
    this.#answers = answers;
    this.#isTerminal = isTerminal;
    this.#pid = pid;
  }

  static async open(on: "pipe" | "terminal"): Promise<CommandHost> {
    const server = createServer();
    const port = await listen(server);
    const isTerminal = on === "terminal";
    const child = isTerminal
      ? spawn("script", [
          "-qfec",
          `stty cols ${columns} rows 40; exec '${process.execPath}' '${program}' ${port}`,
          "/dev/null",
        ])
      : spawn(process.execPath, [program, String(port)]);
    child.stdout?.setEncoding("utf8");
    child.stderr?.setEncoding("utf8");
    const [socket] = (await once(server, "connection")) as [Socket];
    const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
    const { value } = await answers.next();
    const { pid } = JSON.parse(value as string) as { pid: number };
    return new CommandHost(child, server, socket, answers, isTerminal, pid);
  }

  async run({ args, cwd, env, input, keys, interruptAfter }: CommandRun): Promise<CommandOutput> {
    const { stdout, stderr } = this.#child;
    let seen = "";
    const onText = (text: string) => {
      seen += text;
      if (interruptAfter?.test(seen)) {
        interruptAfter = undefined;
        process.kill(this.#pid, "SIGINT");
      }
      if (keys?.after.test(seen)) {
        this.#child.stdin?.write(keys.text);
        keys = undefined;
      }
    };
    const outputs = [untilEnd(stdout, this.#isTerminal ? 2 : 1, onText)];
    if (!this.#isTerminal) outputs.push(untilEnd(stderr, 1, onText));
    const onTerminal = this.#isTerminal && input === undefined;
    const request: HostRequest = {
      args,
      cwd,
      env,
      input: onTerminal ? undefined : Buffer.from(input ?? "").toString("base64"),
      end: endMark,
    };
    this.#socket.write(`${JSON.stringify(request)}\n`);
    const [{ value }, [out = "", err = ""]] = await Promise.all([this.#answers.next(), Promise.all(outputs)]);
    return { ...(JSON.parse(value as string) as HostAnswer), stdout: out, stderr: err };
  }

  async close(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#socket.destroy();
    this.#server.close();
    process.kill(this.#pid, "SIGKILL");
    await closed;
  }
}

/** Reads up to the last of so many marks. */
async function untilEnd(
  stream: NodeJS.ReadableStream | null,
  marks: number,
  onText: (text: string) => void,
): Promise<string> {
  if (stream === null) return "";
  return await new Promise((resolve) => {
    let text = "";
    const onData = (chunk: string) => {
      text += chunk;
      onText(chunk);
      if (text.split(endMark).length <= marks) return;
      stream.off("data", onData);
      resolve(text.replaceAll(endMark, ""));
    };
    stream.on("data", onData);
  });
}
