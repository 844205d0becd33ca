/** For waybill's own transports in the process of their broker: all code that is loaded later. It may change in every release. */

import * as sealedBody from "./body-transforms/sealed-body.js";
import { sealing } from "./body-transforms/sealing.js";
import { receiverContexts, rehearsals, sessionReceivers } from "./client/client-parts.js";
import * as receiverContextFactory from "./client/receiver-context-factory.js";
import * as rehearse from "./rehearsal/rehearse.js";
import * as clientRequestsModule from "./request-reply/client-requests.js";
import { clientRequests } from "./request-reply/request-reply.js";
import * as sessionProcessor from "./sessions/session-processor.js";
import * as sessionReceiver from "./sessions/session-receiver.js";
import { sessionProcessors } from "./sessions/session-subscription.js";

/** Provides all of it at once: where a test's clock decides what happens next, nothing may wait for files. */
export function provideEverything(): void {
  sealing.provide(sealedBody);
  receiverContexts.provide(receiverContextFactory);
  rehearsals.provide(rehearse);
  clientRequests.provide(clientRequestsModule);
  sessionProcessors.provide(sessionProcessor);
  sessionReceivers.provide(sessionReceiver);
}
