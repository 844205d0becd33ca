import { WaybillError } from "@waybill/core";
import { connectionHint } from "./connection-hint.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { Interruption } from "./interruption.js";
import { UsageError } from "./usage-error.js";
import { withoutSecrets } from "./without-secrets.js";

/** Why a command failed: a text without secrets, and the exit code. */
export function describeError(error: unknown) {
  if (error instanceof WaybillError && error.code === "aborted")
    return { text: interruptedText, exitCode: exitCodes.interrupted };
  const text = withoutSecrets(pathText(error) ?? (error instanceof Error ? error.message : String(error)));
  const hint = connectionHint(text, process.env.SERVICEBUS_CONNECTION_STRING ?? "");
  if (hint === undefined) return { text, exitCode: exitCodeOf(error) };
  return { text: `${text.trimEnd()}\n${hint}`, exitCode: exitCodes.connection };
}

/** For commands that change nothing; the others report what they did themselves. */
const interruptedText =
  "Interrupted: nothing on the broker was changed. Run the same command again to start over.";

/** The system's error codes for a wrong path. */
const wrongPath: ReadonlySet<unknown> = new Set([
  "EACCES",
  "EEXIST",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOTDIR",
]);

const pathTexts: Readonly<Record<string, string>> = {
  EACCES: "this user may not use it",
  EEXIST: "there is a file of this name already",
  EISDIR: "it is a folder, not a file",
  ENOENT: "no such file or folder",
  ENOTDIR: "a part of this path is a file, not a folder",
};

/** The system's error about a path, in words. */
function pathText(error: unknown): string | undefined {
  const { code, path, syscall } = error as {
    readonly code?: string;
    readonly path?: string;
    readonly syscall?: string;
  };
  const text = pathTexts[code ?? ""];
  if (text === undefined || path === undefined || syscall === "connect") return undefined;
  return `${path}: ${text} (${code}).`;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interruption) return exitCodes.interrupted;
  if (error instanceof UsageError || error instanceof TypeError) return exitCodes.usage;
  if (error instanceof WaybillError) return fromWaybill(error);
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "BrokerError") return exitCodes.connection;
  return wrongPath.has(code) ? exitCodes.usage : exitCodes.failed;
}

function fromWaybill({ code, cause }: WaybillError): ExitCode {
  switch (code) {
    case "aborted":
      return exitCodes.interrupted;
    case "configuration-invalid":
    case "serialization-failed":
      return exitCodes.usage;
    case "operation-invalid":
      return isAnswer(cause) ? exitCodes.connection : exitCodes.usage;
    case "internal":
    case "deserialization-failed":
      return exitCodes.failed;
    default:
      return exitCodes.connection;
  }
}

/** Whether a service refused a request: something may have been done before. */
function isAnswer(cause: unknown): boolean {
  return typeof (cause as { readonly statusCode?: unknown } | undefined)?.statusCode === "number";
}
