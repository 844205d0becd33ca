import type { Command } from "commander";
import { expect, it } from "vitest";
import { runCommand } from "./environments.test-support.js";
import { createProgram } from "./program.js";

it("is the help text in docs/cli.md", async () => {
  const pages = commandsOf(createProgram("0.0.0")).map(
    ({ name, command }) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  );
  const text = `# The \`waybill\` command\n\nThe help of every command, as it prints it. It comes with the npm package \`waybill\`: \`npx waybill --help\`. See the [package](../packages/cli/README.md) for how to begin.\n\n${pages.join("\n")}`;
  // npx -y pnpm@12 exec vitest run packages/cli/src/reference.test.ts -u writes it.
  await expect(text).toMatchFileSnapshot("../../../docs/cli.md");
});

it("is also printed by the real binary", async () => {
  const ended = await runCommand(["dead-letters", "repair", "--help"]);
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ended.stdout).toContain("waybill dead-letters repair orders --apply --receipts orders.receipts");
  expect(await runCommand(["--version"])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

function commandsOf(command: Command, parents: readonly string[] = []): { name: string; command: Command }[] {
  const path = [...parents, command.name()];
  const own = command.commands.flatMap((each) => commandsOf(each as Command, path));
  return [{ name: path.join(" "), command }, ...own];
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (more) => (text += more),
    getOutHelpWidth: () => 110,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trimEnd();
}
