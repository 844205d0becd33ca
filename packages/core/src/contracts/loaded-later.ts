import { WaybillError } from "../errors/error.js";

/** All that was declared so far, for {@link loadEverything}. */
const declared = new Set<() => unknown>();

/**
 * Declares code that is loaded at the first call of the returned function: bundlers put it into a file of its own, and Node does not read its files
 * before. While it loads, the function returns a promise; from then on the module itself, so that nothing waits. If it cannot be loaded, the
 * promise rejects with `unavailable` and says what `name` is; the next call tries again.
 */
export function loadedLater<Module extends object>(
  name: string,
  load: () => Promise<Module>,
): () => Module | Promise<Module> {
  let loaded: Module | undefined;
  let loading: Promise<Module> | undefined;
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
  declared.add(get);
  return get;
}

/** Loads all code that would be loaded later, for programs in which time must not pass by itself, such as tests with a clock of their own. */
export async function loadEverything(): Promise<void> {
  // Also what is declared by the code that is being loaded: a set is iterated as it grows.
  for (const get of declared) await get();
}

function notLoaded(name: string, error: unknown): WaybillError {
  const why = error instanceof Error ? error.message : String(error);
  const text = `The code for ${name} could not be loaded, perhaps because files of the program were removed while it runs: ${why}`;
  return new WaybillError("unavailable", text, { reason: "unavailable", cause: error });
}
