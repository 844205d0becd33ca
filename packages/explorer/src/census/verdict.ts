import type { Transport } from "@waybill/core";
import {
  queueReadStore,
  type ReadRecord,
  type RetirementEvidence,
  type RetirementTarget,
  type RetirementVerdict,
  retirementVerdict,
} from "@waybill/migration/census";
import type { ExplorerContext } from "../options/explorer-options.js";
import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import type { CensusHistory } from "./census-history.js";

/**
 * Whether a serializer or a version can be retired, by the latest census; the earlier ones count as evidence. Rejects with `RequestError` when
 * there is no census yet.
 */
export async function verdictOf(
  { transport }: Pick<ExplorerContext, "transport">,
  history: CensusHistory,
  fields: Fields,
): Promise<RetirementVerdict> {
  const censuses = await history.read();
  const latest = censuses.at(-1);
  if (latest === undefined) throw new RequestError(409, "Take a census first.");
  return retirementVerdict(targetOf(fields), latest, {
    ...(await evidenceOf(transport, fields)),
    earlier: censuses.slice(0, -1),
  });
}

/** What a census cannot see. */
export async function evidenceOf(transport: Transport, fields: Fields): Promise<RetirementEvidence> {
  const hours = fields.optionalRate("longestScheduleInHours");
  return {
    reads: await readsIn(transport, fields.optionalText("reads")),
    writersStoppedAt: fields.optionalInstant("writersStoppedAt"),
    maxScheduleDurationInMs: hours === undefined ? undefined : hours * 3_600_000,
    sessionStatesAreFree: fields.flag("sessionStatesAreFree"),
  };
}

/** What consumers have recorded in a queue. */
async function readsIn(transport: Transport, queue: string | undefined): Promise<readonly ReadRecord[]> {
  if (queue === undefined) return [];
  await using store = queueReadStore(transport, queue);
  return await store.list();
}

/** What to retire. */
export function targetOf(fields: Fields): RetirementTarget {
  const serializer = fields.optionalText("serializer");
  const messageType = fields.optionalText("messageType");
  if (serializer !== undefined && messageType === undefined) return { serializer };
  if (serializer === undefined && messageType !== undefined) {
    const version = fields.count("messageVersion", { standard: 0, min: 0 });
    if (version > 0) return { messageType, version };
  }
  throw new RequestError(400, "Name a serializer, or messageType together with messageVersion.");
}
