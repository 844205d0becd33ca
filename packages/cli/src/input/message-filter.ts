import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage, MessageState } from "@waybill/core/transport";
import type { SearchCriteria } from "@waybill/explorer/search";
import { UsageError } from "../errors/usage-error.js";

/** Which messages are shown; all that are given must hold. */
export interface FilterOptions {
  readonly where?: readonly string[];
  readonly reason?: string;
  readonly text?: string;
  readonly path?: string;
  readonly state?: MessageState;
  readonly undeserializable?: boolean;
}

/** Whether a message is shown. */
export type MessageFilter = (message: DeliveredMessage, outcome: DeserializationOutcome) => boolean;

/** Makes a filter of the options; undefined if every message is shown. Throws `UsageError` for a path or a regular expression that cannot be read; so does the filter, for an expression that takes more than a second for a message. */
export async function messageFilter(options: FilterOptions): Promise<MessageFilter | undefined> {
  const { where = [], reason, text, path, state, undeserializable = false } = options;
  const tests: MessageFilter[] = [];
  if (state !== undefined) tests.push((message) => message.state === state);
  if (undeserializable) tests.push((_, { status }) => status === "undeserializable");
  if (where.length > 0 || reason !== undefined || text !== undefined || path !== undefined) {
    const { matcher, timeLimitOf } = await import("@waybill/explorer/search");
    const made = (option: string, criteria: SearchCriteria): MessageFilter => {
      const isMatch = named(option, () => matcher(criteria, { compare: "whole" }));
      const limit = timeLimitOf(criteria);
      return (...read) => named(option, () => limit(() => isMatch(...read)));
    };
    for (const [property, propertyValue] of where.map(parted))
      tests.push(made("--where", { property, propertyValue }));
    const [at, value] = path === undefined ? [] : parted(path);
    tests.push(made("--text", { text }), made("--path", { path: at, value }), made("--reason", { reason }));
  }
  return tests.length === 0 ? undefined : (message, outcome) => tests.every((test) => test(message, outcome));
}

/** Does work with what an option says; its error names the option. */
function named<Result>(option: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`);
  }
}

/** `name=value`, or a name alone. */
function parted(text: string): [name: string, value: string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
