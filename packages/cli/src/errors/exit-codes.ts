/** The exit codes of the command. */
export const exitCodes = Object.freeze({
  /** Done, without findings. */
  ok: 0,
  /** Done, and found something: undeserializable messages, a verdict of no, a golden message that fails, a broken contract, dead letters that stay. */
  found: 1,
  /** The command line, the configuration or an input file is wrong; nothing was done. */
  usage: 2,
  /** The broker, or the local store, could not be reached or refused. */
  connection: 3,
  /** Something else failed. */
  failed: 4,
  /** Interrupted with Ctrl-C. */
  interrupted: 130,
});

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
