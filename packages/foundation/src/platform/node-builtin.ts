interface WithProcess {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

/**
 * A built-in module of Node.js, looked up at run time; `undefined` in a browser. Core imports no Node modules or types, so that it also
 * runs in browsers.
 */
export function nodeBuiltin<Module>(id: string): Module | undefined {
  return (globalThis as WithProcess).process?.getBuiltinModule?.(id) as Module | undefined;
}
