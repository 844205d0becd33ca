import type { Broker } from "@waybill/broker";
import { HttpRefusal } from "./error.js";
import type { HttpRequest, HttpResponse } from "./http-request.js";

/** What a request asks of the broker that the service has no word for. Without a path it is about everything. */
export interface ControlRequest {
  readonly verb: "purge" | "reset";
  readonly path: string | undefined;
}

/** Reads `/$waybill/purge/{queue, subscription or sub-queue}` and `/$waybill/reset[/{entity}]`; undefined for other addresses. */
export function parseControl([first = "", verb, ...rest]: readonly string[]): ControlRequest | undefined {
  if (first.toLowerCase() !== "$waybill") return undefined;
  const path = rest.length === 0 ? undefined : rest.join("/");
  if (verb === "reset" || (verb === "purge" && path !== undefined)) return { verb, path };
  return undefined;
}

/** Empties what is named. Purging tells how many messages went. */
export async function control(
  broker: Broker,
  { verb, path }: ControlRequest,
  { method }: HttpRequest,
): Promise<HttpResponse> {
  if (method !== "POST") throw new HttpRefusal(405, "Only POST does something here.");
  if (verb === "reset") {
    await broker.reset(path);
    return { status: 204 };
  }
  const purged = await broker.purge(path ?? "");
  return { status: 200, headers: [["Content-Type", "application/json"]], body: JSON.stringify({ purged }) };
}
