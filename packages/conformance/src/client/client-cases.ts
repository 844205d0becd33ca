import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { clientBatchCases } from "./batch-cases.js";
import { circuitBreakerCases } from "./circuit-breaker-cases.js";
import { clientClosingCases } from "./closing-cases.js";
import { clientDeferralCases } from "./deferral-cases.js";
import { emptyBodyCases } from "./empty-body-cases.js";
import { outageCases } from "./outage-cases.js";
import { processingCases } from "./processing-cases.js";
import { redeliveryCases } from "./redelivery-cases.js";
import { clientSchedulingCases } from "./scheduling-cases.js";
import { sessionProcessorCases } from "./session-processor-cases.js";
import { sessionStateCases } from "./session-state-cases.js";
import { transformedBodyCases } from "./transformed-body-cases.js";

/**
 * The conformance suite for clients on a transport, as cases for any test runner: those that need no capability that the subject lacks.
 * They use the fixtures of the transport suite.
 */
export function clientCases(subject: TransportSubject): Case[] {
  const present = new Set<string>(subject.capabilities);
  const cases = [
    ...clientBatchCases(subject),
    ...emptyBodyCases(subject),
    ...transformedBodyCases(subject),
    ...processingCases(subject),
    ...clientClosingCases(subject),
    ...clientSchedulingCases(subject),
    ...clientDeferralCases(subject),
    ...redeliveryCases(subject),
    ...sessionProcessorCases(subject),
    ...sessionStateCases(subject),
    ...circuitBreakerCases(subject),
    ...outageCases(subject),
  ];
  return cases.filter(({ needs = [] }) => needs.every((capability) => present.has(capability)));
}
