import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs a program to its end. Rejects when it exits with an error, with what it printed. */
export const run = promisify(execFile);
