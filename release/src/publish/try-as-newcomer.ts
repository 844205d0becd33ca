import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "waybill-harness/run-program.js";
import { currentVersion, publishedPackages, root } from "../workspace.js";

/**
 * Does what a newcomer does, in an empty folder, with what a registry has: installs every package, runs README's first program, and
 * `npx waybill --help`. Throws when a step does not end as the README says.
 */
export async function tryAsNewcomer(folder: string, npmrc: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, ".npmrc"), npmrc);
  await run("npm", ["init", "-y"], { cwd: folder });
  await run("npm", ["pkg", "set", "type=module"], { cwd: folder });
  const names = publishedPackages().map(({ name }) => name);
  await run("npm", ["install", "--no-audit", "--no-fund", ...names], { cwd: folder });
  console.log(`installed ${names.length} packages in an empty folder`);
  const { program, output } = firstProgram(await readFile(`${root}README.md`, "utf8"));
  await writeFile(join(folder, "first.js"), program);
  const { stdout } = await run(process.execPath, ["first.js"], { cwd: folder });
  expectText("README's first program", stdout, output);
  const help = await run("npx", ["--no-install", "waybill", "--help"], { cwd: folder });
  expectText("npx waybill --help", help.stdout, "waybill");
  const empty = join(folder, "empty");
  await mkdir(empty);
  await writeFile(join(empty, ".npmrc"), npmrc);
  const alone = await run("npx", ["--yes", "waybill", "--version"], { cwd: empty });
  expectText("npx waybill --version in an empty folder", alone.stdout, currentVersion());
}

/** The first block of code of the README, and what its last comments say it prints. */
function firstProgram(readme: string): { program: string; output: string } {
  const program = /^```ts[^\n]*\n([\s\S]*?)^```$/m.exec(readme)?.[1];
  if (program === undefined) throw new Error("README.md has no program.");
  const said = program
    .trimEnd()
    .split("\n")
    .filter((line) => line.startsWith("// "));
  return { program, output: said.map((line) => line.slice(3)).join("\n") };
}

function expectText(what: string, text: string, expected: string): void {
  console.log(`\n${what}:\n${text.trimEnd()}`);
  if (expected === "" || !text.includes(expected)) throw new Error(`${what} does not print ${expected}`);
}
