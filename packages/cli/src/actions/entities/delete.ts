import { EntityManager } from "../../connection/entity-manager.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseManagedEntity, pathOf } from "../../input/parse-managed-entity.js";
import { counted } from "../../output/counted.js";
import { printable } from "../../output/printable.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** Whether to do it. */
export interface DeleteOptions extends CommonOptions {
  readonly apply?: boolean;
}

/** `waybill entities delete`. */
export async function deleteEntity(
  path: string,
  { apply = false, ...options }: DeleteOptions,
): Promise<ExitCode> {
  const entity = parseManagedEntity(path);
  await using context = await openBrokerContext(options);
  const { terminal } = context;
  const manager = await EntityManager.open(context, (text) => terminal.note(`warning: ${text}`));
  const kind = await manager.kindOf(entity);
  const messages = await manager.messageCount(entity, kind);
  if (apply) await manager.delete(entity, kind);
  if (terminal.isJson) {
    terminal.json({ path: pathOf(entity), kind, messages, isDeleted: apply });
  } else {
    const held = `the ${kind} ${printable(pathOf(entity))} with ${counted(messages, "message")}`;
    terminal.line(apply ? `deleted ${held}` : `would delete ${held}. Nothing was changed. --apply does it.`);
  }
  return apply || messages === 0 ? exitCodes.ok : exitCodes.found;
}
