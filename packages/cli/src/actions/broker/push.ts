import { withAdministration } from "../../connection/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";

/** What is created where. */
export interface PushOptions {
  readonly apply?: boolean;
  readonly namespace?: string;
  readonly managementPort?: number;
}

/** `waybill broker push`: creates the entities of a file in a namespace. */
export async function push(
  file: string,
  { apply = false, namespace, managementPort }: PushOptions,
): Promise<ExitCode> {
  const [{ readBrokerConfig }, { stepText, writeNamespace }] = await Promise.all([
    import("@waybill/broker-server/config"),
    import("../../broker-config/write-namespace.js"),
  ]);
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const namespaces = await readBrokerConfig(file, { emulatorDefaults: false, warn });
  const config = namespaces.find(({ name }) => namespace === undefined || name === namespace);
  if (config === undefined) throw new UsageError(`${file} has no namespace ${namespace}.`);
  const write = (text: string) => process.stdout.write(`${text}\n`);
  await withAdministration(managementPort, (client) =>
    writeNamespace(client, config, { apply, onStep: (step) => write(stepText(step)) }),
  );
  if (!apply) write("Nothing was changed. --apply does it.");
  return exitCodes.ok;
}
