import type { SpiedType, SpyKind, SpyPredicate } from "./spied-message.js";
import type { SpyArgument } from "./spy.js";
import type { TestNamespace } from "./test-namespace.js";

/**
 * The matchers of a namespace for the types of a test runner; each accepts what its spy accepts, and says whether it lists at least one message.
 * `Result` is what the runner's matchers return.
 */
export interface NamespaceMatchers<Result = void> {
  toHaveSent: NamespaceMatcher<Result>;
  toHavePublished: NamespaceMatcher<Result>;
  toHaveConsumed: NamespaceMatcher<Result>;
  toHaveFaulted: NamespaceMatcher<Result>;
  toHaveDeadLettered: NamespaceMatcher<Result>;
}

/** A matcher with the arguments of a spy: an entity, a message type, a predicate, or some of them in this order. */
export interface NamespaceMatcher<Result> {
  <Body = unknown>(entity?: string, where?: SpyPredicate<Body>): Result;
  <Body>(entity: string, type: SpiedType<Body>, where?: SpyPredicate<Body>): Result;
  <Body>(type: SpiedType<Body>, where?: SpyPredicate<Body>): Result;
  <Body = unknown>(where: SpyPredicate<Body>): Result;
}

type Implementation = (
  namespace: TestNamespace,
  ...given: SpyArgument[]
) => { readonly pass: boolean; readonly message: () => string };

/** The matchers for `expect.extend` of vitest and jest, which call them in the same way. A misspelt entity is an error, even after `not`. */
export const namespaceMatchers: Readonly<Record<keyof NamespaceMatchers, Implementation>> = Object.freeze({
  toHaveSent: matcher("sent"),
  toHavePublished: matcher("published"),
  toHaveConsumed: matcher("consumed"),
  toHaveFaulted: matcher("faulted"),
  toHaveDeadLettered: matcher("deadLettered"),
});

function matcher(kind: SpyKind): Implementation {
  return (namespace, ...given) => {
    const count = (namespace[kind] as (...all: readonly unknown[]) => readonly unknown[])(...given).length;
    const [entity] = given.filter((one) => typeof one === "string");
    return { pass: count > 0, message: () => messageText(kind, namespace, count, given, entity) };
  };
}

function messageText(
  kind: SpyKind,
  namespace: TestNamespace,
  count: number,
  given: readonly SpyArgument[],
  entity: string | undefined,
): string {
  const texts = given.map((one) =>
    typeof one === "string"
      ? `at '${one}'`
      : typeof one === "object"
        ? `of type '${one.name}'`
        : "that the predicate accepts",
  );
  const expected = count > 0 ? `no message ${kind}` : `a message ${kind}`;
  const seen = `Seen ${entity === undefined ? "in the namespace" : "there"}: ${namespace.counts(entity)}.`;
  return `Expected ${[expected, ...texts].join(" ")}, but there ${count === 1 ? "is" : "are"} ${count === 0 ? "none" : count}. ${seen}`;
}
