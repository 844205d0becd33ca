import type { Case } from "../case.js";
import { batchCases } from "./batch-cases.js";
import { deferralCases } from "./deferral-cases.js";
import { forwardingCases, transferDeadLetterCases } from "./forwarding-cases.js";
import { lifecycleCases } from "./lifecycle-cases.js";
import { lockCases } from "./lock-cases.js";
import { missingCapabilityCases } from "./missing-capability-cases.js";
import { peekingCases } from "./peeking-cases.js";
import { receivingCases } from "./receiving-cases.js";
import { ruleCases } from "./rule-cases.js";
import { schedulingCases } from "./scheduling-cases.js";
import { sendingCases } from "./sending-cases.js";
import { sessionCases } from "./session-cases.js";
import { settlingCases } from "./settling-cases.js";
import { subscribingCases } from "./subscribing-cases.js";
import { topicCases } from "./topic-cases.js";
import type { TransportSubject } from "./transport-subject.js";

/**
 * The conformance suite for transports, as cases any runner can register. Where the subject lacks a capability, the cases that need it give way to cases
 * that its operations reject with `not-supported`. What it asks for is described in `docs/writing-a-transport.md`.
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
