import { openAdministration } from "../../broker-host/administration.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";

export async function exportNamespace(
  file: string,
  { apply = false, namespace }: { readonly apply?: boolean; readonly namespace?: string },
): Promise<ExitCode> {
  const [{ readBrokerConfig }, { writeNamespace }] = await Promise.all([
    import("../../broker-config/broker-config.js"),
    import("../../broker-config/write-namespace.js"),
  ]);
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`);
  const namespaces = await readBrokerConfig(file, { emulatorDefaults: false, warn });
  const config = namespaces.find(({ name }) => namespace === undefined || name === namespace);
  if (config === undefined) throw new TypeError(`${file} has no namespace ${namespace}.`);
  const write = (text: string) => process.stdout.write(`${text}\n`);
  await writeNamespace(await openAdministration(), config, { apply, write });
  if (!apply) write("Nothing was changed. --apply does it.");
  return exitCodes.ok;
}
