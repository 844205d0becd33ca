/** An instruction of a Dockerfile. */
export interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions of a Dockerfile, without comments. */
export function instructionsOf(text: string): Instruction[] {
  const lines = text.replace(/^#.*\n/gm, "").replace(/\\\n\s*/g, "");
  return Array.from(lines.matchAll(/^([A-Z]+) (.+)$/gm), ([, name = "", value = ""]) => ({ name, value }));
}

/** Whether a .dockerignore leaves out a path: for names such as `.git`, and those at every level. */
export function ignoresOf(text: string): (path: string) => boolean {
  const patterns = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const tests = patterns.map((pattern) => {
    const source = pattern
      .replace(/[.+^$]/g, "\\$&")
      .replace(/^\*\*\//, "(?:.*/)?")
      .replace(/(?<!\.)\*/g, "[^/]*");
    return new RegExp(`^${source}(?:/|$)`);
  });
  return (path) => tests.some((test) => test.test(path));
}
