import type { DeliveredMessage } from "@waybill/core/transport";

/** The subject of messages that hold a work item. */
export const workItemSubject = "waybill-work";

/** The subjects of what this package itself keeps in queues: beacons, read records and work items. */
const ownSubjects: ReadonlySet<string> = new Set(["waybill-capability", "waybill-reads", workItemSubject]);

const maxBytes = 1024 * 1024;

/** Whether a message is a beacon, a read record or a work item, which no consumer receives: it counts against no format. */
export function isOwnRecord({ subject, contentType, body }: DeliveredMessage): boolean {
  if (subject === undefined || !ownSubjects.has(subject) || contentType !== "application/json") return false;
  if (!(body instanceof Uint8Array) || body.length > maxBytes) return false;
  try {
    const record = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown> | null;
    return subject === workItemSubject
      ? typeof record?.job === "string"
      : typeof record?.reader === "string" && typeof record.instance === "string";
  } catch {
    return false;
  }
}
