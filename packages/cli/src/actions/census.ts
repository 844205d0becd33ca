import { originOf } from "@waybill/core/diagnostics";
import { type DeliveredMessage, entityPathOf } from "@waybill/core/transport";
import { type Census, type CensusGroup, takeCensus } from "@waybill/migration/census";
import { shareCensus } from "@waybill/migration/work";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { withoutSecrets } from "../errors/without-secrets.js";
import { counted } from "../output/counted.js";
import { entityText } from "../output/entity-text.js";
import { printable } from "../output/printable.js";
import type { Cell } from "../output/table-text.js";
import type { Terminal } from "../output/terminal.js";
import {
  type BrokerContext,
  type CommonOptions,
  type EntityOptions,
  openBrokerContext,
  type SharedWorkOptions,
} from "./action-context.js";
import { checkSharing, sharing } from "./sharing.js";

/** What to count. */
export interface CensusCommandOptions extends CommonOptions, EntityOptions, SharedWorkOptions {
  readonly sample?: number;
  readonly limit?: number;
}

export async function census(options: CensusCommandOptions): Promise<ExitCode> {
  checkSharing(options);
  await using context = await openBrokerContext(options);
  return await withCensus(context, options, (taken) => {
    if (context.terminal.isJson) context.terminal.json(taken);
    else printCensus(context.terminal, taken);
    return isClean(taken) ? exitCodes.ok : exitCodes.found;
  });
}

/**
 * Takes a census with a progress bar, alone or together with the workers of a queue, and hands it over. A shared one is removed from the queue
 * only when what was printed has been written.
 */
export async function withCensus<Result>(
  context: BrokerContext,
  options: Pick<CensusCommandOptions, "sample" | "limit"> & SharedWorkOptions,
  use: (census: Census) => Result | Promise<Result>,
): Promise<Result> {
  const { transport, pipeline, catalog, entities, terminal, abortSignal } = context;
  const census = {
    transport,
    pipeline,
    catalog: catalog(entities),
    entities: entities.length === 0 ? undefined : entities.map(entityPathOf),
    sampleRate: options.sample,
    maxMessagesPerPlace: options.limit,
    originOf: originNameOf,
    abortSignal,
  };
  const shared = sharing(context, options);
  if (shared === undefined) {
    const taken = await terminal.withProgress("messages", (show) =>
      takeCensus({ ...census, onProgress: ({ peeked, expected }) => show(peeked, expected) }),
    );
    return await use(taken);
  }
  await using taken = await terminal.withProgress("entities", (show) =>
    shareCensus({ ...census, ...shared, onItems: ({ finished, items }) => show(finished, items) }),
  );
  const result = await use(taken.result);
  await terminal.written();
  await taken.remove();
  return result;
}

/** The probable origin of a message by its name, which every worker has to give alike. */
export function originNameOf({ body, ...properties }: DeliveredMessage): string | undefined {
  if (body instanceof Uint8Array) return originOf({ body, ...properties })?.name;
  return body.section === "value" ? "an AMQP value" : "an AMQP sequence";
}

function isClean({ groups, places }: Census): boolean {
  return (
    groups.every(({ status }) => status === "decoded" || status === "not-sampled") &&
    places.every(({ end }) => end !== "failed")
  );
}

function printCensus(terminal: Terminal, { groups, places, hidden, sampleRate }: Census): void {
  const peeked = places.reduce((sum, place) => sum + place.peeked, 0);
  if (groups.length > 0) {
    terminal.table(
      groupColumns.map(({ name }) => name),
      groups.map((group) => groupColumns.map(({ cell }) => cell(group))),
    );
    terminal.line();
  }
  const sampled = sampleRate < 1 ? `, ${sampleRate * 100} % of them read` : "";
  terminal.line(`${counted(peeked, "message")} in ${counted(places.length, "place")}${sampled}`);
  for (const { entityPath, kind, count } of hidden) {
    terminal.line(`${entityPath}: ${counted(count, "message")} could not be peeked (${kind})`);
  }
  for (const place of places) {
    if (place.end === "limit") terminal.line(`${entityText(place)}: stopped after ${place.peeked}`);
    if (place.end === "failed") {
      const { red } = terminal.colors;
      terminal.line(
        red(printable(withoutSecrets(`${entityText(place)}: ${place.error?.code}: ${place.error?.text}`))),
      );
    }
  }
}

/** The probable origin is shown only for bodies that the chain does not read. */
const groupColumns: readonly { readonly name: string; readonly cell: (group: CensusGroup) => Cell }[] = [
  { name: "ENTITY", cell: entityText },
  { name: "STATE", cell: ({ state }) => state },
  { name: "CONTENT TYPE", cell: ({ mediaType }) => mediaType },
  { name: "TYPE", cell: ({ messageType }) => messageType },
  { name: "VERSION", cell: versionText },
  { name: "READ BY", cell: readerText },
  { name: "LOOKS LIKE", cell: ({ origin, status }) => (status === "decoded" ? undefined : origin) },
  { name: "COUNT", cell: ({ count }) => count },
  { name: "OLDEST", cell: ({ oldestEnqueuedAt }) => oldestEnqueuedAt },
  { name: "NEWEST", cell: ({ newestEnqueuedAt }) => newestEnqueuedAt },
];

function versionText({ messageVersion, upcastPath }: CensusGroup): string | undefined {
  if (messageVersion === undefined) return undefined;
  return upcastPath.length === 0
    ? `v${messageVersion}`
    : upcastPath.map((version) => `v${version}`).join(" → ");
}

function readerText({ status, serializer, reason }: CensusGroup): string {
  if (status === "decoded") return serializer ?? "(none needed)";
  return status === "undeserializable" ? `nobody: ${reason}` : `(${status})`;
}
