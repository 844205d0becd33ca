import { execFile } from "node:child_process";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { type NamedContract, parseContract } from "@waybill/migration/contract";
import { UsageError } from "../../errors/usage-error.js";

const run = promisify(execFile);

/** The largest contract file that is read from git, in bytes. */
const maxBuffer = 64 * 1024 * 1024;

/** A contract file as it is in a revision of git. */
export async function contractAtRevision(file: string, revision: string): Promise<NamedContract> {
  const text = await git(file, ["show", "--end-of-options", `${revision}:./${basename(file)}`]);
  return { name: revision, contract: parseContract(text, `${file} at ${revision}`) };
}

/** A contract file in all its revisions, the newest first. */
export async function contractsInHistory(file: string): Promise<readonly NamedContract[]> {
  const log = await git(file, ["log", "--format=%h", "--", basename(file)]);
  const revisions = log.split("\n").filter((each) => each !== "");
  return await Promise.all(revisions.map((revision) => contractAtRevision(file, revision)));
}

async function git(file: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("git", args, { cwd: dirname(file), maxBuffer });
    return stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    const why = stderr.trim().split("\n")[0] || (error as Error).message;
    throw new UsageError(`git ${args.join(" ")} failed: ${why}`);
  }
}
