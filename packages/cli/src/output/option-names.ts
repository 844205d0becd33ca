/** Options of the programming interface, as the command has them. */
const optionNames: Readonly<Record<string, string>> = {
  maxScheduleDurationInMs: "--longest-schedule",
  sessionStatesAreFree: "--session-states-are-free",
  watchForInMs: "--watch",
  writersStoppedAt: "--writers-stopped-at",
};
const named = new RegExp(`\\b(state )?(${Object.keys(optionNames).join("|")})\\b`, "g");

/** A sentence for programmers with the options of the command. */
export function withOptionNames(text: string): string {
  return text.replace(
    named,
    (_, state: string | undefined, name: string) =>
      `${state === undefined ? "" : "give "}${optionNames[name]}`,
  );
}
