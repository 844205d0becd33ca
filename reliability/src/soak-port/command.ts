import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeCommand } from "waybill-harness/supervised-process.js";
import { SupervisedServer } from "../supervisor/supervised-server.js";

const bin = new URL("../../../packages/cli/dist/bin.js", import.meta.url);

/** The key of the server's one policy, `RootManageSharedAccessKey`. */
export const key = "the-soaks-key";

/** `waybill broker` with TLS on a data directory. What it writes as an error counts as a finding. */
export function commandIn(directory: string): SupervisedServer {
  const data = join(directory, "data");
  return new SupervisedServer(
    (port) => ({
      command: nodeCommand(bin, ["broker", "--json", "--tls", "--port", port, "--data", data]),
      env: { HOME: directory, WAYBILL_BROKER_KEY: key },
      isStderrFinding: true,
      isReadyLine: (line) => JSON.parse(line).event === "ready",
    }),
    (_, printed) => {
      const [port = 0] = printed.flatMap((line): number[] => JSON.parse(line).ports ?? []);
      return { port, connectionString: `${encrypted(port)};UseDevelopmentEmulator=true` };
    },
  );
}

/** A connection string for AMQP over WebSockets, which the SDK encrypts always. */
export function encrypted(port: number): string {
  return `Endpoint=sb://localhost:${port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${key}`;
}

/** The certificate of the authority that the broker made. */
export function authorityIn(directory: string): string {
  return readFileSync(join(directory, ".waybill", "tls", "ca.pem"), "utf8");
}

/** Memory of a process of Linux. */
export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
