import { entityPathOf } from "@waybill/core/transport";
import { type DeadLetterGroup, type DeadLetterSurvey, surveyDeadLetters } from "@waybill/migration/repair";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { type DeadLetterAddress, parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { printable } from "../../output/printable.js";
import type { Terminal } from "../../output/terminal.js";
import { type BrokerContext, type CommonOptions, openBrokerContext } from "../action-context.js";

export interface ListedSurvey extends DeadLetterSurvey {
  readonly queue: string;
}

export async function list(paths: readonly string[], options: CommonOptions): Promise<ExitCode> {
  const queues = paths.map(parseDeadLetterQueue);
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  const surveys: ListedSurvey[] = [];
  await terminal.withProgress("dead letters", async (show) => {
    let before = 0;
    for (const from of queues.length > 0 ? queues : await allQueues(context)) {
      const onProgress = (peeked: number) => show(before + peeked);
      const survey = await surveyDeadLetters({ transport, pipeline, from, abortSignal, onProgress });
      before += survey.peeked;
      surveys.push({ queue: entityPathOf(from), ...survey });
    }
  });
  if (terminal.isJson) terminal.json(surveys);
  else print(terminal, surveys);
  return surveys.every(({ peeked, decodable }) => peeked === decodable) ? exitCodes.ok : exitCodes.found;
}

/** All dead-letter queues but those that are known to be empty. */
async function allQueues({ catalog, transport, abortSignal }: BrokerContext): Promise<DeadLetterAddress[]> {
  const entities = await catalog([]).listEntities({ abortSignal });
  return entities.flatMap(({ entity, counts }) => {
    if ("topic" in entity && entity.subscription === undefined) return [];
    const queues: DeadLetterAddress[] = [];
    if (counts?.deadLetter !== 0) queues.push({ ...entity, subQueue: "deadLetter" } as DeadLetterAddress);
    if (counts?.transferDeadLetter !== 0 && transport.capabilities.has("transferDeadLetter"))
      queues.push({ ...entity, subQueue: "transferDeadLetter" } as DeadLetterAddress);
    return queues;
  });
}

function print(terminal: Terminal, surveys: readonly ListedSurvey[]): void {
  const rows = surveys.flatMap(({ queue, groups }) =>
    groups.map((group) => [
      queue,
      group.deadLetterReason,
      group.mediaType,
      group.messageType,
      group.messageVersion,
      nowText(group),
      group.count,
      group.newestEnqueuedAt,
    ]),
  );
  if (rows.length === 0) {
    terminal.line("no dead letters");
    return;
  }
  terminal.table(
    ["QUEUE", "REASON", "CONTENT TYPE", "TYPE", "VERSION", "READ NOW BY", "COUNT", "NEWEST"],
    rows,
  );
  terminal.line();
  for (const { queue, peeked, decodable } of surveys)
    terminal.line(`${printable(queue)}: ${decodable} of ${peeked} can be read now`);
}

function nowText({ status, serializer, failure, reason }: DeadLetterGroup): string {
  if (status === "decoded") return serializer ?? "(none needed)";
  if (status === "unavailable") return "(unavailable)";
  const who = failure?.serializer === undefined ? "" : `${failure.serializer} `;
  return `nobody: ${failure === undefined ? reason : `${who}${failure.stage}: ${failure.reason}`}`;
}
