import { WaybillError } from "../errors/error.js";

/** Returns code that is loaded later: while it loads, a promise; from then on the module itself, so that nothing waits. */
export interface LaterCode<Module extends object> {
  (): Module | Promise<Module>;
  /** Takes the module from a program that has loaded it before. */
  provide(module: Module): void;
}

/**
 * Declares code that is loaded at the first call of the returned function: bundlers put it into a file of its own, and Node does not read its files
 * before. If it cannot be loaded, the promise rejects with `unavailable` and says what `name` is; the next call tries again.
 */
export function loadedLater<Module extends object>(
  name: string,
  load: () => Promise<Module>,
): LaterCode<Module> {
  let loaded: Module | undefined;
  let loading: Promise<Module> | undefined;
  const provide = (module: Module) => {
    loaded = module;
  };
  const get = () => {
    if (loaded !== undefined) return loaded;
    loading ??= load()
      .then(
        (module) => (loaded = module),
        (error: unknown) => {
          throw notLoaded(name, error);
        },
      )
      .finally(() => (loading = undefined));
    return loading;
  };
  return Object.assign(get, { provide });
}

function notLoaded(name: string, error: unknown): WaybillError {
  const why = error instanceof Error ? error.message : String(error);
  const text = `The code for ${name} could not be loaded, perhaps because files of the program were removed while it runs: ${why}`;
  return new WaybillError("unavailable", text, { reason: "unavailable", cause: error });
}
