import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/transport-subject.js";
import { clientBatchCases } from "./batch-cases.js";
import { sealedBodyCases } from "./sealed-body-cases.js";

/** What a client promises on every transport, as cases any runner can register. They use the worlds of the transport law. */
export function clientCases(subject: TransportSubject): Case[] {
  return [...clientBatchCases(subject), ...sealedBodyCases(subject)];
}
