import type { Broker } from "@waybill/broker";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest, HttpResponse } from "../http-request.js";

/** A request for an operation that the service does not have. Without a path it concerns all entities. */
export interface ControlRequest {
  readonly verb: "purge" | "reset";
  readonly path: string | undefined;
}

/** Parses `/$waybill/purge/{queue, subscription or sub-queue}` and `/$waybill/reset[/{entity}]`; undefined for other addresses. */
export function parseControl([first = "", verb, ...rest]: readonly string[]): ControlRequest | undefined {
  if (first.toLowerCase() !== "$waybill") return undefined;
  const path = rest.length === 0 ? undefined : rest.join("/");
  if (verb === "reset" || (verb === "purge" && path !== undefined)) return { verb, path };
  return undefined;
}

/** Purges or resets the given entities. The response of purge contains the number of messages. */
export async function control(
  broker: Broker,
  { verb, path }: ControlRequest,
  { method }: HttpRequest,
): Promise<HttpResponse> {
  if (method !== "POST") throw new HttpRefusal(405, "Only POST is supported here.");
  if (verb === "reset") {
    await broker.reset(path);
    return { status: 204 };
  }
  const purged = await broker.purge(path ?? "");
  return { status: 200, headers: [["Content-Type", "application/json"]], body: JSON.stringify({ purged }) };
}
