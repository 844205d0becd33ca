import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../../packages/cli/dist/bin.js", import.meta.url));

/** How a run of the command ended. */
export interface Ending {
  /** Null if it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of the `waybill` command that can be killed. */
export class WaybillProcess {
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;

  constructor(connectionString: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, SERVICEBUS_CONNECTION_STRING: connectionString },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.ended = this.#end();
  }

  /** `kill -9`. */
  async kill(): Promise<Ending> {
    this.#child.kill("SIGKILL");
    return await this.ended;
  }

  async #end(): Promise<Ending> {
    let stdout = "";
    let stderr = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [exitCode] = (await once(this.#child, "close")) as [number | null];
    return { exitCode, stdout, stderr };
  }
}
