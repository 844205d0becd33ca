import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { get } from "../data/api.js";
import { href } from "../data/route.js";
import { subQueuePattern } from "../data/sub-queue.js";
import type { About, EntityView, FoundNumber } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useEscape } from "../data/use-escape.js";
import { useHashState } from "../data/use-hash-state.js";
import { MessageDetails } from "../messages/message-details.js";
import { MessageList } from "../messages/message-list.js";
import { Action, formValues, Problem, Waiting } from "../parts/parts.js";
import { RemovalDialog } from "../removal/removal-dialog.js";

interface MessagesProps {
  readonly about: About;
  readonly path: string;
  readonly entity: EntityView | undefined;
  /** The sequence number of the message that is open. */
  readonly number: string | undefined;
  /** Whether the counts have been loaded, as far as the broker has them. */
  readonly isKnown: boolean;
}

const states = ["active", "scheduled", "deferred"];

/** The list of an entity's messages, and the one that is open. */
export function Messages({ about, path, entity, number, isKnown }: MessagesProps): VNode {
  const [state, setState] = useHashState("state");
  const [order, setOrder] = useHashState("order");
  const [removed, setRemoved] = useHashState("delete");
  const [isFollowing, setFollowing] = useState(false);
  const [target, setTarget] = useState<{ readonly number: string }>();
  const [turn, setTurn] = useState(0);
  const open = (chosen: string[]) => {
    location.hash = href("entity", path, "messages", ...chosen) + location.hash.replace(/^[^?]*/, "");
  };
  // The focus goes back to where the message was opened: the list.
  const close = () => {
    open([]);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role="grid"]')?.focus());
  };
  useEscape(number !== undefined, close);
  return (
    <div class={number === undefined ? "split" : "split open"}>
      <div class="list">
        <div class="filters">
          {subQueuePattern.test(path) ? null : (
            <label>
              State{" "}
              <select value={state ?? ""} onChange={({ currentTarget }) => setState(currentTarget.value)}>
                <option value="">all</option>
                {states.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
          {state === undefined ? (
            <>
              <label>
                Order{" "}
                <select value={order ?? ""} onChange={({ currentTarget }) => setOrder(currentTarget.value)}>
                  <option value="">oldest first</option>
                  <option value="newest">newest first</option>
                </select>
              </label>
              <label>
                <input
                  type="checkbox"
                  checked={isFollowing}
                  onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
                />{" "}
                Follow
              </label>
              <JumpForm entity={path} onJump={(found) => setTarget({ number: found })} />
            </>
          ) : null}
          <span class="actions">
            <Action text="Look again" kind="quiet-button" onClick={() => setTurn(turn + 1)} />
            <Action text="Purge …" kind="quiet-button" onClick={() => setRemoved("all")} />
          </span>
        </div>
        {isKnown ? (
          <MessageList
            key={`${turn} ${state} ${order}`}
            entity={path}
            expected={expectedIn(entity, path)}
            state={state}
            order={order === "newest" && state === undefined ? "newest" : "oldest"}
            isFollowing={isFollowing && state === undefined}
            selected={number}
            target={target}
            onSelect={(chosen) => open([chosen])}
          />
        ) : (
          <Waiting isLoading={true} />
        )}
      </div>
      {number === undefined ? null : (
        <MessageDetails
          key={`${path} ${number}`}
          about={about}
          entity={path}
          number={number}
          onClose={close}
          onRemoved={() => setTurn(turn + 1)}
        />
      )}
      {removed === undefined ? null : (
        <RemovalDialog
          about={about}
          entity={path}
          numbers={undefined}
          onClose={() => {
            setRemoved("");
            setTurn(turn + 1);
          }}
        />
      )}
    </div>
  );
}

/** Goes to a sequence number, or to the first message that was enqueued at a time or later. */
function JumpForm({ entity, onJump }: { readonly entity: string; onJump(number: string): void }): VNode {
  const { problem, attempt } = useAttempt();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { to = "" } = formValues(event.currentTarget);
    await attempt(async () => {
      if (/^\d{1,19}$/.test(to)) return onJump(to);
      const { number } = await get<FoundNumber>("number-at", { entity, at: to });
      if (number === undefined) throw new Error("All messages are older.");
      onJump(number);
    });
  };
  return (
    <form class="jump" onSubmit={onSubmit}>
      <label>
        Go to{" "}
        <input
          name="to"
          size={13}
          required
          placeholder="number or time"
          title="4711 or 2026-11-05T12:00:00Z"
        />
      </label>
      <Problem text={problem} />
    </form>
  );
}

function expectedIn(entity: EntityView | undefined, path: string): number | undefined {
  const counts = entity?.counts;
  if (counts === undefined) return undefined;
  if (/\/\$transfer\//i.test(path)) return counts.transferDeadLetter;
  if (subQueuePattern.test(path)) return counts.deadLetter;
  return counts.active + (counts.deferred ?? 0) + counts.scheduled;
}
