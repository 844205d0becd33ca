import type { Case } from "../case.js";
import { batchCases } from "./cases/batch-cases.js";
import { deferralCases } from "./cases/deferral-cases.js";
import { forwardingCases, transferDeadLetterCases } from "./cases/forwarding-cases.js";
import { lifecycleCases } from "./cases/lifecycle-cases.js";
import { lockCases } from "./cases/lock-cases.js";
import { missingCapabilityCases } from "./cases/missing-capability-cases.js";
import { peekingCases } from "./cases/peeking-cases.js";
import { receivingCases } from "./cases/receiving-cases.js";
import { ruleCases } from "./cases/rule-cases.js";
import { schedulingCases } from "./cases/scheduling-cases.js";
import { sendingCases } from "./cases/sending-cases.js";
import { sessionCases } from "./cases/session-cases.js";
import { settlingCases } from "./cases/settling-cases.js";
import { subscribingCases } from "./cases/subscribing-cases.js";
import { topicCases } from "./cases/topic-cases.js";
import type { TransportSubject } from "./harness/transport-subject.js";

/**
 * The conformance suite for transports, as cases for any test runner. If the subject lacks a capability, the cases that need it are replaced by cases
 * that its operations reject with `not-supported`. `docs/writing-a-transport.md` describes the requirements.
 */
export function transportCases(subject: TransportSubject): Case[] {
  const present = new Set<string>(subject.capabilities);
  const cases = [
    ...sendingCases(subject),
    ...batchCases(subject),
    ...receivingCases(subject),
    ...settlingCases(subject),
    ...lockCases(subject),
    ...peekingCases(subject),
    ...deferralCases(subject),
    ...schedulingCases(subject),
    ...subscribingCases(subject),
    ...topicCases(subject),
    ...sessionCases(subject),
    ...ruleCases(subject),
    ...forwardingCases(subject),
    ...transferDeadLetterCases(subject),
    ...lifecycleCases(subject),
  ];
  return [
    ...cases.filter(({ needs = [] }) => needs.every((capability) => present.has(capability))),
    ...missingCapabilityCases(subject),
  ];
}
