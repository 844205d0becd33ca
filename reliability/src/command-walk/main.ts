import { readFileSync, writeFileSync } from "node:fs";
import { readOptions } from "waybill-harness/options.js";
import { conclude } from "../ledger/verdict.js";
import { entityCases } from "./cases/entities.js";
import { formatCases } from "./cases/formats.js";
import { messageCases } from "./cases/messages.js";
import type { CommandOutput } from "./command-host.js";
import { commandOf, hasOption, walkedCommands } from "./command-tree.js";
import { derivedCases } from "./derived-cases.js";
import { openFixture } from "./fixture.js";
import { type JsonOutput, outputPage } from "./output-page.js";
import { bad, good, type WalkCase, wordsOf } from "./walk-case.js";

// Types every command with every option, in good and bad use, on pipes and on a pseudo-terminal, against a real broker, and compares what is
// written and the exit codes with a transcript that people have read. --update writes it: read the difference before you commit it.

const { update, only, show } = readOptions({ update: false, only: "", show: false });
const transcript = new URL("../../src/command-walk/transcript.txt", import.meta.url);
const pageFile = new URL("../../../docs/json-output.md", import.meta.url);
const places = ["pipe", "terminal"] as const;
const documented: readonly number[] = [0, 1, 2, 3, 4, 130];
const violations: string[] = [];

const commands = await walkedCommands();
const cases: readonly WalkCase[] = [
  bad(""),
  good("--version"),
  good("help broker purge"),
  bad("peeek orders"),
  ...messageCases,
  ...entityCases,
  ...formatCases,
  ...commands.flatMap(derivedCases),
].filter(({ line }) => line.includes(only));
if (only === "") checkCoverage();

const outputs = new Map<WalkCase, Partial<Record<(typeof places)[number], CommandOutput>>>();
for (const place of places) {
  await using fixture = await openFixture(place);
  for (const each of cases) {
    if (each.on !== undefined && each.on !== place) continue;
    if (show) console.log(`${place}: waybill ${each.line}`);
    const output = await fixture.run(each);
    checkOutput(each, place, output);
    outputs.set(each, { ...outputs.get(each), [place]: output });
  }
}
const written = `${cases.map(blockOf).join("\n")}`;
const page = outputPage(jsonOutputs());
if (update && only === "") {
  writeFileSync(transcript, written);
  writeFileSync(pageFile, page);
} else if (only !== "") console.log(written);
else {
  compare(readFileSync(transcript, "utf8"), written);
  if (readFileSync(pageFile, "utf8") !== page)
    violations.push("docs/json-output.md is not what the commands write: --update writes it");
}
conclude(violations, `${cases.length} command lines did what the transcript says`);

/** What good uses wrote to pipes, unless they asked for text. */
function jsonOutputs(): JsonOutput[] {
  return cases.flatMap((each) => {
    const { pipe } = outputs.get(each) ?? {};
    const args = wordsOf(each.line);
    const command = commandOf(args, commands);
    const writesJson = command.command.options.some(({ long }) => long === "--json");
    if (
      pipe === undefined ||
      each.use === "bad" ||
      !writesJson ||
      ["--no-json", "--format", "--mermaid", "--raw"].some((option) => args.includes(option))
    )
      return [];
    return [{ command, text: pipe.stdout }];
  });
}

/** Each option stands in a good use, and each that has a value in a bad one too. */
function checkCoverage(): void {
  for (const { path, command } of commands) {
    const own = cases.filter(({ line }) => commandOf(wordsOf(line), commands).command === command);
    const uses = (use: WalkCase["use"]) =>
      own.filter((each) => each.use === use).map(({ line }) => wordsOf(line));
    const name = `waybill ${path.join(" ")}`.trim();
    if (uses("bad").length === 0) violations.push(`${name} is in no bad use`);
    if (command.commands.length === 0 && uses("good").length === 0)
      violations.push(`${name} is in no good use`);
    for (const option of command.options) {
      if (isShared(option.long) && command.commands.length === 0) continue;
      // They need a git repository, a schema registry and an interrupted repair, which tests have.
      if (["--transitive", "--registry", "--resume"].includes(option.long ?? "")) continue;
      if (!uses("good").some((args) => hasOption(args, option)))
        violations.push(`${name} ${option.long} is in no good use`);
      if (option.required && !uses("bad").some((args) => hasOption(args, option)))
        violations.push(`${name} ${option.long} is in no bad use`);
    }
  }
}

/** Options that all commands share do the same in each; that some command uses them is enough. */
function isShared(long: string | undefined): boolean {
  const shared = ["--config", "--json", "--no-json", "--management-port", "--data", "--namespace"];
  if (long === undefined || !shared.includes(long)) return false;
  return (
    cases.some(({ line, use }) => use === "good" && wordsOf(line).includes(long)) || long === "--namespace"
  );
}

function checkOutput(
  { line, use }: WalkCase,
  place: string,
  { exitCode, stdout, stderr }: CommandOutput,
): void {
  const where = `waybill ${line}, on a ${place}`;
  if (!documented.includes(exitCode)) violations.push(`${where}: exit code ${exitCode} is not documented`);
  if (/^\s+at .+:\d+:\d+\)?$/m.test(stdout + stderr)) violations.push(`${where}: a stack trace`);
  if (/some-secret|secret-key|a-key-of-our-own/.test(stdout + stderr)) violations.push(`${where}: a key`);
  const isRefused = exitCode >= 2 && exitCode <= 4;
  if (use === "bad" && !isRefused && exitCode !== 1)
    violations.push(`${where}: exit code ${exitCode} for a bad use`);
  if (use === "good" && isRefused)
    violations.push(`${where}: exit code ${exitCode} for a good use: ${stderr || stdout}`);
  if (use === "bad" && place === "pipe" && isRefused && stderr === "")
    violations.push(`${where}: no reason on the standard error`);
}

function blockOf(each: WalkCase): string {
  const { pipe, terminal } = outputs.get(each) ?? {};
  const env = Object.entries(each.env ?? {}).map(([name, value]) => `${name}='${value}' `);
  const without = each.env !== undefined && env.length === 0 ? "env -i " : "";
  const parts = [
    `$ ${without}${env.join("")}waybill ${each.line}${each.input === undefined ? "" : `   < ${JSON.stringify(each.input)}`}`,
  ];
  const onPipe = pipe === undefined ? undefined : textOf(pipe);
  const onTerminal = terminal === undefined ? undefined : textOf(terminal);
  if (onPipe === onTerminal) parts.push(`-- pipe and terminal, ${onPipe}`);
  else {
    if (onPipe !== undefined) parts.push(`-- pipe, ${onPipe}`);
    if (onTerminal !== undefined) parts.push(`-- terminal, ${onTerminal}`);
  }
  return `${parts.join("\n")}\n`;
}

/** What was written to the standard error is marked, but on a terminal, where both are the same. */
function textOf({ exitCode, stdout, stderr }: CommandOutput): string {
  const lines = [...linesOf(stdout), ...linesOf(stderr)];
  return [`exit ${exitCode}`, ...lines.map((line) => (line === "" ? "  |" : `  | ${line}`))].join("\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function compare(expected: string, actual: string): void {
  const [before, now] = [expected, actual].map((text) => text.split(/\n(?=\$ )/));
  const known = new Set(before);
  for (const block of now ?? []) if (!known.has(block)) violations.push(`Not in the transcript:\n${block}`);
  const made = new Set(now);
  for (const block of before ?? [])
    if (!made.has(block)) violations.push(`Only in the transcript:\n${block}`);
}
