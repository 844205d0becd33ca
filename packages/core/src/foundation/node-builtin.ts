interface WithProcess {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

/**
 * A built-in module of Node.js, found at run time; `undefined` in a browser. Core sees no Node types and imports no Node module, so that it
 * loads there, too.
 */
export function nodeBuiltin<Module>(id: string): Module | undefined {
  return (globalThis as WithProcess).process?.getBuiltinModule?.(id) as Module | undefined;
}
