import { EntityManager } from "../../connection/entity-manager.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseManagedEntity } from "../../input/parse-managed-entity.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** `waybill entities show`. */
export async function show(path: string, options: CommonOptions): Promise<ExitCode> {
  const entity = parseManagedEntity(path);
  await using context = await openBrokerContext(options);
  const { terminal } = context;
  const manager = await EntityManager.open(context, (text) => terminal.note(`warning: ${text}`));
  terminal.json(await manager.read(entity));
  return exitCodes.ok;
}
