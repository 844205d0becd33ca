/** Mutations that no test can notice, without their lines, and why. The goal is an empty list. */
export const knownSurvivors: ReadonlyMap<string, string> = new Map([]);
