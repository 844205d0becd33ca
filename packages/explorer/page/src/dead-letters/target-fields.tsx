import type { VNode } from "preact";
import { subQueuePattern } from "../data/sub-queue.js";
import { Field } from "../parts/parts.js";

/** Where dead letters are sent to: at first to the queue they were dead-lettered in; a subscription cannot be sent to. */
export function TargetFields({ entity }: { readonly entity: string }): VNode {
  const origin = entity.replace(subQueuePattern, "");
  const isSubscription = /\/Subscriptions\//i.test(origin);
  return (
    <>
      <Field
        label={isSubscription ? "Destination, such as a queue or topic:name" : "Destination"}
        name="to"
        value={isSubscription ? "" : origin}
      />
      {isSubscription ? (
        <label>
          <input type="checkbox" name="throughTopic" value="true" /> or through the topic: its other
          subscriptions get them too, except those with a filter for it
        </label>
      ) : null}
      <label>
        <input type="checkbox" name="targetDetectsDuplicates" value="true" /> the target detects duplicates
      </label>
    </>
  );
}
