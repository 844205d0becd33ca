import { createContext, Script } from "node:vm";
import { RequestError } from "../wire/request-error.js";
import { expressionIn } from "./needle.js";
import { type SearchCriteria, searchedTexts } from "./search-criteria.js";

/** Runs work that looks for something, and returns its result. Throws `RequestError` when it takes too long. */
export type TimeLimit = <Result>(work: () => Result) => Result;

/** For work that is linear in the size of its input. */
export const noTimeLimit: TimeLimit = (work) => work();

/** How long the expressions of a search may take for a page of messages, in milliseconds. A page takes about one. */
const maxMsOfPage = 1_000;

/**
 * The limit of a search: none without regular expressions. An expression such as `/(a+)+$/` takes time that is exponential in the length of a text;
 * nothing but V8 itself can interrupt it in its thread, which is what a script with a timeout asks for.
 */
export function timeLimitOf(criteria: SearchCriteria, maxMs = maxMsOfPage): TimeLimit {
  const expressions = searchedTexts(criteria).filter((text) => expressionIn(text) !== undefined);
  if (expressions.length === 0) return noTimeLimit;
  const scope: { work: () => unknown } = { work: () => undefined };
  const context = createContext(scope);
  const script = new Script("work()");
  return <Result>(work: () => Result) => {
    scope.work = work;
    try {
      return script.runInContext(context, { timeout: maxMs }) as Result;
    } catch (error) {
      if (isTimeout(error) || isOutOfStack(error)) throw tooSlow(expressions);
      throw error;
    }
  };
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

/** V8 remembers where an expression may go on, and how much of that is limited. */
function isOutOfStack(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes("call stack");
}

function tooSlow(expressions: readonly string[]): RequestError {
  const named = expressions.map((text) => text.slice(0, 80)).join(" and ");
  return new RequestError(
    400,
    `The search was stopped: ${named} takes too long for what is in the messages. Write it without repetitions inside of repetitions such as (a+)+.`,
  );
}
