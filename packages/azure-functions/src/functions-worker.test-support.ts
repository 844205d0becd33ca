import Module, { createRequire } from "node:module";
import type * as functions from "@azure/functions";

/** What the worker of the host calls of the real `@azure/functions`. */
interface ProgrammingModel {
  getInvocationModel(call: object): {
    getArguments(): Promise<{ readonly context: functions.InvocationContext; readonly inputs: unknown[] }>;
    invokeFunction(
      context: functions.InvocationContext,
      inputs: unknown[],
      handler: (...args: unknown[]) => unknown,
    ): Promise<unknown>;
  };
}

/** A function as `@azure/functions` registers it at the host. */
export interface RegisteredFunction {
  readonly name: string;
  /** The binding of the trigger, as the host gets it. */
  readonly trigger: Readonly<Record<string, unknown>>;
  /** Calls it with data as the host sends it. Logs are kept in `logs`. */
  invoke(data: unknown, triggerMetadata: object, logs: string[]): Promise<void>;
}

/** The data of the worker's protocol. Source: `RpcTypedData` of `@azure/functions-core`. */
export interface Registered {
  readonly metadata: {
    readonly name: string;
    readonly bindings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  readonly handler: (...args: unknown[]) => unknown;
}

/** What the functions of a process registered. */
class Worker {
  readonly registered = new Map<string, Registered>();
  readonly terminating: (() => unknown)[] = [];
  model: ProgrammingModel | undefined;

  /** What the host's worker provides as the module `@azure/functions-core`. */
  readonly functionsCore = {
    setProgrammingModel: (model: ProgrammingModel) => {
      this.model = model;
    },
    registerFunction: (metadata: Registered["metadata"], handler: Registered["handler"]) =>
      void this.registered.set(metadata.name, { metadata, handler }),
    registerHook: (name: string, callback: () => unknown) => {
      if (name === "appTerminate") this.terminating.push(callback);
      return { dispose: () => {} };
    },
    log: () => {},
    Disposable: class {
      dispose(): void {}
    },
  };
}

const require = createRequire(import.meta.url);

// Node keeps one `@azure/functions` for all test files of a process, bound to the worker that loaded it. This module is evaluated for each.
const key = Symbol.for("waybill: worker of functions in tests");
const kept = globalThis as { [key]?: Worker };
kept[key] ??= new Worker();
const worker = kept[key];

/** The real `@azure/functions`, in a worker that is played here. */
export const { app } = loadInWorker();

/** `@azure/functions` asks for the worker's module on the first call that needs it. */
function loadInWorker(): typeof functions {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  loader._load = (request, ...rest) =>
    request === "@azure/functions-core" ? worker.functionsCore : load.call(loader, request, ...rest);
  try {
    const loaded = require("@azure/functions") as typeof functions;
    loaded.app.timer("first", { schedule: "0 0 0 1 1 *", handler: () => {} });
    return loaded;
  } finally {
    loader._load = load;
  }
}

/** A registered function. */
export function registeredFunction(name: string): RegisteredFunction {
  const { metadata, handler } = worker.registered.get(name)!;
  const [bindingName, trigger] = Object.entries(metadata.bindings)[0]!;
  return {
    name,
    trigger,
    async invoke(data, triggerMetadata, logs) {
      const invocation = worker.model!.getInvocationModel({
        invocationId: "invocation",
        metadata,
        request: { inputData: [{ name: bindingName, data }], triggerMetadata },
        log: (_level: string, _category: string, text: string) => void logs.push(text),
      });
      const { context, inputs } = await invocation.getArguments();
      await invocation.invokeFunction(context, inputs, handler);
    },
  };
}

/** What the worker does before its process ends. */
export async function terminateApp(): Promise<void> {
  await Promise.all(worker.terminating.splice(0).map((callback) => callback()));
}
