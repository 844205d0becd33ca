import { UsageError } from "../errors/usage-error.js";
import { describePortHolder } from "./port-holder.js";

/** What to do when a port cannot be listened on, for the system's errors that say so; other errors are returned as they are. */
export async function portRefusal(error: unknown, host: string): Promise<unknown> {
  const { code, port } = error as { readonly code?: string; readonly port?: number };
  if (code === "EADDRINUSE" && port !== undefined) {
    const holder = await describePortHolder(host, port);
    return new UsageError(
      `Port ${port} of ${host} is taken by ${holder}. Stop it, or choose another one with --port.`,
    );
  }
  if (code === "EACCES" && port !== undefined)
    return new UsageError(`Port ${port} of ${host} needs more rights: the system allows it to root only.`);
  if (code === "ENOTFOUND" || code === "EADDRNOTAVAIL")
    return new UsageError(`--host: this computer has no address ${host} to listen on.`);
  return error;
}
