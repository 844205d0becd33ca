import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorText, lines } from "../data/api.js";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { Conversation, ConversationEvent } from "../data/types.js";
import { ResultTable } from "../messages/result-table.js";
import { Action, Field, formValues, Problem } from "../parts/parts.js";
import { Progress } from "../parts/progress.js";

interface Found {
  /** Those found so far, in the end all of them, oldest first. */
  readonly messages: Conversation["messages"];
  readonly scanned: number;
  readonly expected: number | undefined;
  /** How it ended; undefined while it runs. */
  readonly end: "done" | "limit" | "stopped" | "failed" | undefined;
  readonly problem: string | undefined;
}

const nothing: Found = { messages: [], scanned: 0, expected: undefined, end: undefined, problem: undefined };

/** The messages related to an id: by correlation id, reply address and trace, oldest first. */
export function ConversationPage({ id }: { readonly id: string | undefined }): VNode {
  const [found, setFound] = useState(nothing);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    running.current = controller;
    setFound(nothing);
    if (id !== undefined) void follow(id, controller.signal, setFound);
    return () => {
      // What it tells from now on belongs to another conversation.
      running.current = undefined;
      controller.abort(left);
    };
  }, [id, turn]);
  const { messages, scanned, expected, end, problem } = found;
  const isRunning = id !== undefined && end === undefined;
  return (
    <main class="page">
      <h1>Conversation</h1>
      <form
        key={id}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = formValues(event.currentTarget).id ?? "";
          if (wanted === id) setTurn(turn + 1);
          else location.hash = href("conversation", wanted);
        }}
      >
        <Field label="Message id, correlation id, reply session or traceparent" name="id" value={id} />
        <p class="actions">
          <button type="submit">Follow</button>
          <Action
            text="Stop"
            kind="quiet-button"
            isDisabled={!isRunning}
            onClick={() => running.current?.abort()}
          />
        </p>
      </form>
      <Problem text={problem} />
      {isRunning ? <Progress label="Messages searched" done={scanned} of={expected} /> : null}
      {id === undefined ? null : <p role="status">{statusOf(found)}</p>}
      {messages.length === 0 ? null : <ResultTable label="Messages of the conversation" results={messages} />}
    </main>
  );
}

/** Why a search is aborted whose page is left. */
const left = "left";

async function follow(
  id: string,
  signal: AbortSignal,
  setFound: (change: (before: Found) => Found) => void,
): Promise<void> {
  const change = (changed: Partial<Found>) => {
    if (signal.reason !== left) setFound((before) => ({ ...before, ...changed }));
  };
  const messages: Conversation["messages"][number][] = [];
  try {
    for await (const event of lines<ConversationEvent>("conversation", { query: { id }, signal })) {
      if (event.kind === "found") {
        messages.push(event.message);
      } else if (event.kind === "progress") {
        const { scanned, expected } = event;
        change({ messages: [...messages], scanned, expected });
      } else {
        const { messages: all, scanned, isComplete } = event;
        change({ messages: all, scanned, end: isComplete ? "done" : "limit" });
      }
    }
  } catch (error) {
    if (signal.aborted) change({ messages, end: "stopped" });
    else change({ messages, end: "failed", problem: errorText(error) });
  }
}

/** What was found so far, or in the end. */
function statusOf({ messages, scanned, expected, end }: Found): string {
  const of = `${plural(messages.length, "message")} of ${countText(scanned)} waiting ones`;
  const searched = `${plural(messages.length, "message")} found in ${countText(scanned)}${
    expected === undefined ? "" : ` of ${countText(expected)}`
  } waiting ones`;
  switch (end) {
    case undefined:
      return `${searched} …`;
    case "stopped":
      return `Stopped: ${searched}. The others were not searched.`;
    case "failed":
      return `${searched} before it failed.`;
    case "limit":
      return `${of}; there may be more.`;
    case "done":
      return `${of}.`;
  }
}
