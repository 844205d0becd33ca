import { openTestNamespace, type TestNamespace, type TestNamespaceOptions } from "./test-namespace.js";

/** The hooks of vitest, jest, node:test or mocha. */
export interface NamespaceHooks {
  readonly beforeEach: (hook: () => Promise<void>) => unknown;
  readonly afterEach: (hook: () => Promise<void>) => unknown;
}

/**
 * Opens a namespace for each test and closes it afterwards; the returned function returns that of the running test, and throws outside one.
 */
export function perTest(
  { beforeEach, afterEach }: NamespaceHooks,
  options: TestNamespaceOptions = {},
): () => TestNamespace {
  let current: TestNamespace | undefined;
  beforeEach(async () => {
    current = await openTestNamespace(options);
  });
  afterEach(async () => {
    await current?.close();
    current = undefined;
  });
  return () => {
    if (current === undefined) throw new Error("There is a namespace only while a test runs.");
    return current;
  };
}
