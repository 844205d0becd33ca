import { propertiesFromTexts } from "@waybill/broker-server/config";
import { EntityManager } from "../../connection/entity-manager.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseManagedEntity } from "../../input/parse-managed-entity.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** What to change. */
export interface ChangeOptions extends CommonOptions {
  readonly set: readonly string[];
}

/** `waybill entities change`. */
export async function change(path: string, options: ChangeOptions): Promise<ExitCode> {
  const entity = parseManagedEntity(path);
  await using context = await openBrokerContext(options);
  const { terminal } = context;
  const warn = (text: string) => terminal.note(`warning: ${text}`);
  const manager = await EntityManager.open(context, warn);
  const kind = await manager.kindOf(entity);
  await manager.change(entity, kind, propertiesFromTexts(kind, options.set, warn));
  terminal.json(await manager.read(entity));
  return exitCodes.ok;
}
