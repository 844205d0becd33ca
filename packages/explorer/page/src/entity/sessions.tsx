import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import type { SessionList, SessionStateView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { ValueTree } from "../parts/value-view.js";

/** The sessions that have messages, with their state on request. */
export function Sessions({ entity }: { readonly entity: string }): VNode {
  const [skip, setSkip] = useState(0);
  const { value, error, isLoading } = useLoad<SessionList>("sessions", { entity, skip });
  return (
    <div>
      <Problem text={error} />
      <Waiting isLoading={isLoading && value === undefined} />
      {value?.isSupported === false ? <p>This connection cannot list sessions.</p> : null}
      {value?.isSupported === true && value.sessions.length === 0 ? (
        <p class="empty">No session has messages.</p>
      ) : null}
      <ul class="groups">
        {(value?.sessions ?? []).map((sessionId) => (
          <Session key={sessionId} entity={entity} sessionId={sessionId} />
        ))}
      </ul>
      {value !== undefined && value.sessions.length === 100 ? (
        <Action text="Next sessions" onClick={() => setSkip(skip + 100)} />
      ) : null}
    </div>
  );
}

function Session({ entity, sessionId }: { readonly entity: string; readonly sessionId: string }): VNode {
  const [state, setState] = useState<SessionStateView>();
  const { problem, attempt } = useAttempt();
  const read = () =>
    attempt(async () => setState(await post<SessionStateView>("session-state", { entity, sessionId })));
  return (
    <li class="card">
      <h2>
        <Text>{sessionId}</Text>
      </h2>
      {state === undefined ? (
        <Action text="Read its state (locks it for a moment)" kind="quiet-button" onClick={read} />
      ) : null}
      <Problem text={problem ?? state?.problem} />
      {state !== undefined && !state.hasState ? <p class="quiet">It has no state.</p> : null}
      {state?.value === undefined || !state.hasState ? null : <ValueTree node={state.value} />}
    </li>
  );
}
