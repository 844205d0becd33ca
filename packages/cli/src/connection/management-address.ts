import { WaybillError } from "@waybill/core";
import { UsageError } from "../errors/usage-error.js";

/** Where a namespace answers HTTP, and with which key. */
export interface ManagementAddress {
  /** The connection string with the port of the management API. */
  readonly connectionString: string;
  /** Such as `http://localhost:5300`. */
  readonly origin: string;
  /** Whether it is a local broker or emulator without TLS. */
  readonly isPlain: boolean;
}

/** Ports of the official emulator: its management API, and messages; other local brokers answer both on the latter. */
const emulatorPorts = [5300, 5672] as const;
/** Timeout of a probe in ms: a port that does not answer at all. */
const probeMs = 5_000;
const failureTexts: Readonly<Record<string, string>> = {
  "bad port": "a port that HTTP clients do not use",
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
};
const endpoint = /(^|;)(\s*Endpoint\s*=\s*(?:[a-z]+:\/\/)?)(\[[^\]]*\]|[^:/;\s]+)(?::(\d+))?/i;

/**
 * Finds the management API of a connection string. On Azure it has the port for HTTPS. A local broker or emulator may answer on the port for
 * messages or on 5300, whichever answers HTTP; `port` names another one, `usual` those of the emulator. Throws `WaybillError` if none answers, `UsageError` for a text that is no
 * connection string.
 */
export async function findManagement(
  text: string,
  port?: number,
  usual: readonly [management: number, messages: number] = emulatorPorts,
): Promise<ManagementAddress> {
  const match = endpoint.exec(text);
  if (match === null)
    throw new UsageError("Set SERVICEBUS_CONNECTION_STRING to the connection string of a namespace.");
  const [, , , host = "", given] = match;
  const isPlain = /;\s*UseDevelopmentEmulator\s*=\s*true/i.test(text);
  const known = port ?? (given === undefined ? undefined : Number(given));
  const at = (found: number | undefined): ManagementAddress => ({
    connectionString: text.replace(
      endpoint,
      (_, before: string, name: string) => `${before}${name}${host}${found === undefined ? "" : `:${found}`}`,
    ),
    origin: `${isPlain ? "http" : "https"}://${host}${found === undefined ? "" : `:${found}`}`,
    isPlain,
  });
  if (!isPlain) return at(known);
  const candidates = port === undefined ? [...new Set([known ?? usual[0], ...usual])] : [port];
  const probes = candidates.map((candidate) => probe(at(candidate).origin));
  const failures: string[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const failure = await probes[index];
    if (failure === undefined) return at(candidate);
    failures.push(`${host}:${candidate} (${failure})`);
  }
  throw new WaybillError(
    "connection-lost",
    `The management API does not answer at ${failures.join(" or ")}. Is the broker running? --management-port names another port.`,
  );
}

/** Why an address does not answer HTTP; undefined if it does, whatever it answers. */
async function probe(origin: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${origin}/health`, {
      signal: AbortSignal.timeout(probeMs),
      redirect: "manual",
    });
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    const { name, cause } = error as { readonly name?: string; readonly cause?: NodeJS.ErrnoException };
    if (name === "TimeoutError") return "no answer";
    const text = failureTexts[cause?.code ?? cause?.message ?? ""];
    return text ?? cause?.code ?? "no HTTP there";
  }
}
