import { type AjvModules, ajvModules } from "./ajv-modules.js";

interface ModuleBuiltin {
  createRequire(from: string): (id: string) => unknown;
}

interface WithProcess {
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

/** Loads ajv so that bundlers do not include it. Throws `TypeError` if there is no `require`, as in a browser. */
export function requireAjv(): AjvModules {
  const { process } = globalThis as WithProcess;
  const builtin = process?.getBuiltinModule?.("node:module") as ModuleBuiltin | undefined;
  return ajvModules((id) => {
    if (builtin === undefined) throw new TypeError("`require` is not available.");
    return builtin.createRequire(import.meta.url)(id);
  });
}
