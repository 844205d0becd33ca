import pc from "picocolors";

/** Colours on a terminal that supports them, unless `NO_COLOR` is set; plain text everywhere else, CI included. */
export const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
