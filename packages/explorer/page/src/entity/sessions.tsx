import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { SessionList, SessionRow, SessionStateView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { Action, Problem, Table, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";
import { ValueTree } from "../parts/value-view.js";

/** The sessions that have messages, with their counts; their state on request, because reading it locks the session. */
export function Sessions({ entity }: { readonly entity: string }): VNode {
  const [skip, setSkip] = useState(0);
  const { value, error, isLoading } = useLoad<SessionList>("sessions", { entity, skip });
  return (
    <div>
      <Problem text={error} />
      <Waiting isLoading={isLoading && value === undefined} />
      {value?.total === 0 ? <p class="empty">No session has messages.</p> : null}
      {value === undefined || value.total === 0 ? null : (
        <>
          <p>
            <strong>{plural(value.total, "session")}</strong> with {plural(value.peeked, "message")}
            {value.isComplete ? "" : "; those after them were not counted"}.
          </p>
          <Table label="Sessions" head={["Session", "Messages", "Oldest", "State"]} numbers={["Messages"]}>
            {value.sessions.map((session) => (
              <Session key={session.sessionId} entity={entity} session={session} />
            ))}
          </Table>
          <p class="actions">
            {skip > 0 ? (
              <Action text="Sessions before" kind="quiet-button" onClick={() => setSkip(skip - 100)} />
            ) : null}
            {skip + value.sessions.length < value.total ? (
              <Action text="Next sessions" kind="quiet-button" onClick={() => setSkip(skip + 100)} />
            ) : null}
          </p>
        </>
      )}
    </div>
  );
}

function Session({ entity, session }: { readonly entity: string; readonly session: SessionRow }): VNode {
  const { sessionId, count, firstNumber, oldestEnqueuedAt } = session;
  const [state, setState] = useState<SessionStateView>();
  const { problem, attempt } = useAttempt();
  const read = () =>
    attempt(async () => setState(await post<SessionStateView>("session-state", { entity, sessionId })));
  return (
    <tr>
      <th scope="row">
        <a href={messagesOf(entity, sessionId)}>
          <Text>{sessionId}</Text>
        </a>
      </th>
      <td class="number">{countText(count)}</td>
      <td>
        <a href={href("entity", entity, "messages", firstNumber)}>
          <Time at={oldestEnqueuedAt} />
        </a>
      </td>
      <td>
        {state === undefined ? (
          <Action text="Read its state (locks it for a moment)" kind="link" onClick={read} />
        ) : null}
        <Problem text={problem ?? state?.problem} />
        {state !== undefined && !state.hasState ? <span class="quiet">It has no state.</span> : null}
        {state?.value === undefined || !state.hasState ? null : (
          <ValueTree node={state.value} unfolded="all" />
        )}
      </td>
    </tr>
  );
}

/** A search for all messages of a session. */
function messagesOf(entity: string, sessionId: string): string {
  const propertyValue = `/^${sessionId.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$/`;
  return `${href("search")}?${new URLSearchParams({ entity, property: "sessionId", propertyValue })}`;
}
