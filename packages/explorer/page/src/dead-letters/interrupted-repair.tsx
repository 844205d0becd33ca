import type { VNode } from "preact";
import { countText, timeText } from "../data/format.js";
import type { InterruptedView } from "../data/types.js";
import { Action } from "../parts/parts.js";
import { Text } from "../parts/text.js";

interface InterruptedProps {
  readonly interrupted: InterruptedView;
  onReplace(): void;
}

/** The plan of an interrupted repair, which is resumed as it is or given up. */
export function Interrupted({ interrupted, onReplace }: InterruptedProps): VNode {
  const { plan, startedAt, sent, maybeSent } = interrupted;
  return (
    <section class="notice" aria-label="Interrupted repair">
      <p>
        A repair was interrupted. It was begun {timeText(startedAt)} and has sent {countText(sent)}
        {maybeSent === 0 ? "" : `; ${countText(maybeSent)} more may have been sent`}. Resumed, it goes on with
        exactly this:
      </p>
      <Plan parts={plan} />
      <Action text="Give it up and begin another" kind="link" onClick={onReplace} />
    </section>
  );
}

/** What a repair does, part by part. */
export function Plan({ parts }: { readonly parts: readonly string[] }): VNode {
  return (
    <ul aria-label="Plan">
      {parts.map((part) => (
        <li key={part}>
          <Text>{part}</Text>
        </li>
      ))}
    </ul>
  );
}
