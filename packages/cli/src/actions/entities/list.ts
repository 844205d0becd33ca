import { type CatalogEntity, entityPathOf } from "@waybill/core/transport";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** Which entities to list. */
export interface EntityListOptions extends CommonOptions {
  readonly deadLetters?: boolean;
}

/** `waybill entities list`. */
export async function list(text: string | undefined, options: EntityListOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { terminal, abortSignal } = context;
  const all = await context.catalog([]).listEntities({ abortSignal });
  const shown = all.filter(
    ({ entity, counts }) =>
      (text === undefined || entityPathOf(entity).toLowerCase().includes(text.toLowerCase())) &&
      (options.deadLetters !== true || (counts?.deadLetter ?? 0) > 0),
  );
  if (terminal.isJson) {
    for (const { entity, ...properties } of shown)
      terminal.jsonLine({ path: entityPathOf(entity), kind: kindOf(entity), ...properties });
  } else if (shown.length === 0) {
    terminal.line("no entities");
  } else {
    terminal.table(
      [
        "ENTITY",
        "KIND",
        "ACTIVE",
        "DEFERRED",
        "SCHEDULED",
        "DEAD LETTERS",
        "IN TRANSFER",
        "SESSIONS",
        "FORWARDS TO",
      ],
      shown.map(({ entity, counts, requiresSession, forwardTo }) => [
        entityPathOf(entity),
        kindOf(entity),
        counts?.active,
        counts?.deferred,
        counts?.scheduled,
        counts?.deadLetter,
        counts === undefined ? undefined : counts.transfer + counts.transferDeadLetter,
        requiresSession === true ? "yes" : undefined,
        forwardTo,
      ]),
    );
  }
  return exitCodes.ok;
}

function kindOf(entity: CatalogEntity["entity"]): string {
  if ("queue" in entity) return "queue";
  return entity.subscription === undefined ? "topic" : "subscription";
}
