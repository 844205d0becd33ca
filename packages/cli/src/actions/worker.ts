import { runWorker } from "@waybill/migration/work";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { withoutSecrets } from "../errors/without-secrets.js";
import { counted } from "../output/counted.js";
import { printable } from "../output/printable.js";
import { type CommonOptions, openBrokerContext } from "./action-context.js";
import { originNameOf } from "./census.js";

/** Where the work is, and how long the worker stays. */
export interface WorkerCommandOptions extends CommonOptions {
  readonly workQueue: string;
  readonly concurrency?: number;
  readonly idle?: number;
}

/** Ends with 0 when it is stopped, too: that is how a worker ends. */
export async function worker(options: WorkerCommandOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  terminal.note(`Ready for work in ${options.workQueue}.`);
  const finished = await runWorker({
    transport,
    pipeline,
    workQueue: options.workQueue,
    originOf: originNameOf,
    maxConcurrentItems: options.concurrency,
    maxIdleTimeInMs: options.idle,
    abortSignal,
    onFinished(item) {
      const { job, kind, path, error } = item;
      const what = { census: "counted", repair: "repaired" }[kind];
      if (terminal.isJson) terminal.jsonLine(item);
      else if (error === undefined) terminal.line(`${what} ${printable(path)} for ${job}`);
      else
        terminal.line(
          printable(withoutSecrets(`not ${what}: ${path} for ${job}: ${error.code}: ${error.text}`)),
        );
    },
    onError: (error) => terminal.note(withoutSecrets(`${error.message} Tries again.`)),
  });
  terminal.note(`${counted(finished, "item")} finished.`);
  return exitCodes.ok;
}
