/** For programs that are the command under another name. */

export { runAsProgram } from "./run-as-program.js";
