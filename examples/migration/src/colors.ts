import pc from "picocolors";

/** Colours for a terminal that has them and a user who did not set `NO_COLOR`; plain text everywhere else, CI included. */
export const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
