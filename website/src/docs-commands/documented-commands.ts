import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A command in the documentation, with its arguments. */
export interface DocumentedCommand {
  readonly command: string;
  /** Its page and line. */
  readonly place: string;
}

/** The commands of the documentation: of the workspace, of the `waybill` command, and others. */
export interface DocumentedCommands {
  readonly workspace: readonly DocumentedCommand[];
  readonly waybill: readonly DocumentedCommand[];
  readonly others: readonly DocumentedCommand[];
}

/**
 * Commands that are not run, each with the reason. All others, in a shell block, in a text as `npx -y pnpm@12 …`, or as an example in the help of
 * the `waybill` command, are run with their stated arguments.
 */
export const notRun: Readonly<Record<string, string>> = {
  "waybill census --connection shop=SHOP_CONNECTION --connection billing=billing.servicebus.windows.net":
    "It signs in with Microsoft Entra ID.",
  "waybill explore --connection shop=shop.servicebus.windows.net --connection billing=BILLING_CONNECTION":
    "It signs in with Microsoft Entra ID.",
  "npx -y pnpm@12 docs:site commands": "It would run itself.",
  "npx -y pnpm@12 docs:site commands waybill": "It would run itself.",
  "npx -y pnpm@12 format": "It writes files.",
  "npx -y pnpm@12 reliability explorer --pictures": "It writes files, and needs a browser.",
  "npx -y pnpm@12 docs:site pictures": "It writes files, where a drawing has no picture yet.",
  "npx -y pnpm@12 release version 1.2.3": "It writes files; a test covers what it makes of the changelog.",
  "npx -y pnpm@12 bench --json > bench/results.json": "It writes files.",
  "npx -y pnpm@12 docs:site tables": "It writes files; test/docs.test.ts compares them.",
  "npx -y pnpm@12 exec vitest run test -u": "It writes snapshots; the tests compare them.",
};

/** Reads the pages at the root of a workspace, which ends with a slash, under `docs`, and of each room, package and example. */
export function documentedCommands(root: string): DocumentedCommands {
  const found = pages(root).flatMap((path) => commandsOf(path, readFileSync(root + path, "utf8")));
  const unique = [...new Map(found.map((one) => [one.command, one])).values()];
  const isWorkspace = ({ command }: DocumentedCommand) => command.startsWith("npx -y pnpm@12 ");
  const isWaybill = ({ command }: DocumentedCommand) => command.startsWith("waybill ");
  return {
    workspace: unique.filter(isWorkspace),
    waybill: unique.filter(isWaybill),
    others: unique.filter((one) => !isWorkspace(one) && !isWaybill(one)),
  };
}

function pages(root: string): string[] {
  const list = (folder: string, recursive = false) =>
    existsSync(root + folder)
      ? readdirSync(root + folder, { recursive, encoding: "utf8" })
          .filter((name) => name.endsWith(".md"))
          .map((name) => (folder === "" ? name : `${folder}/${name}`))
      : [];
  const homes = ["packages", "examples"].flatMap((folder) =>
    readdirSync(`${root}${folder}`).map((name) => `${folder}/${name}`),
  );
  const rooms = ["", ".github", "release", ...homes];
  return [...list("docs", true), ...rooms.flatMap((room) => list(room))].sort();
}

function commandsOf(path: string, text: string): DocumentedCommand[] {
  const commands: DocumentedCommand[] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const opened = /^```(\w*)/.exec(line);
    if (opened !== null) fence = fence === undefined ? opened[1] : undefined;
    else {
      const place = `${path}:${index + 1}`;
      for (const command of commandsIn(line, fence)) commands.push({ command, place });
    }
  }
  return commands;
}

function commandsIn(line: string, fence: string | undefined): string[] {
  if (fence === "sh" || fence === "bash" || fence === "shell") return shellCommand(line);
  // The examples in the help of the command; the text after several spaces explains them.
  if (fence === "text") return /^ {2}waybill /.test(line) ? [line.trim().replace(/ {2,}.*$/, "")] : [];
  if (fence !== undefined) return [];
  return [...line.matchAll(/`(npx -y pnpm@12 [^`]+)`/g)].map(([, command = ""]) => command);
}

function shellCommand(line: string): string[] {
  const command = line.replace(/\s+#.*$/, "").trim();
  if (command === "" || command.startsWith("#")) return [];
  return [command.replace(/^npx (?:@waybill\/cli|waybill) /, "waybill ")];
}
