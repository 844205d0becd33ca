import type { RehearsalReport } from "./rehearsal-report.js";

/** Fewer messages prove nothing: the kinds that are drained at once are not among those that wait. */
const minMessages = 20;

type Facts = Pick<RehearsalReport, "messageCount" | "undeserializableCount" | "unavailableCount" | "isWhole">;

/** What a rehearsal proves. */
export function rehearsalAnswer(facts: Facts): Pick<RehearsalReport, "answer" | "missing"> {
  if (facts.undeserializableCount > 0) return { answer: "contradicted", missing: undefined };
  const missing = missingIn(facts);
  return { answer: missing === undefined ? "proved" : "not-known", missing };
}

function missingIn({ messageCount, unavailableCount, isWhole }: Facts): string | undefined {
  if (unavailableCount > 0) {
    return `${unavailableCount} of ${messageCount} messages need something that is unavailable: rehearse again when it can be reached.`;
  }
  if (messageCount < minMessages) {
    const seen =
      messageCount === 0 ? "No message was" : `Only ${messageCount} of at least ${minMessages} messages were`;
    return `${seen} seen, which proves nothing about those that are consumed at once: watch live traffic with watchForInMs, on a queue by peeking what passes, on a topic through a subscription of its own.`;
  }
  if (!isWhole)
    return `There are more than the ${messageCount} messages that were read: raise maxMessageCount.`;
  return undefined;
}
