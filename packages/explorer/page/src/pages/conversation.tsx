import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { errorText, lines } from "../data/api.js";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { Conversation, ConversationEvent } from "../data/types.js";
import { ResultTable } from "../messages/result-table.js";
import { Field, formValues, Problem } from "../parts/parts.js";
import { Progress } from "../parts/progress.js";

interface Found {
  readonly scanned: number;
  readonly expected: number | undefined;
  readonly conversation: Conversation | undefined;
  readonly problem: string | undefined;
}

const nothing: Found = { scanned: 0, expected: undefined, conversation: undefined, problem: undefined };

/** The messages related to an id: by correlation id, reply address and trace, oldest first. */
export function ConversationPage({ id }: { readonly id: string | undefined }): VNode {
  const [{ scanned, expected, conversation, problem }, setFound] = useState(nothing);
  useEffect(() => {
    const controller = new AbortController();
    setFound(nothing);
    if (id !== undefined)
      void follow(id, controller.signal, (change) => setFound((before) => ({ ...before, ...change })));
    return () => controller.abort();
  }, [id]);
  const isRunning = id !== undefined && conversation === undefined && problem === undefined;
  return (
    <main class="page">
      <h1>Conversation</h1>
      <form
        key={id}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = href("conversation", formValues(event.currentTarget).id ?? "");
        }}
      >
        <Field label="Message id, correlation id, reply session or traceparent" name="id" value={id} />
        <p class="actions">
          <button type="submit">Follow</button>
        </p>
      </form>
      <Problem text={problem} />
      {isRunning ? (
        <p role="status">
          <Progress label="Messages searched" done={scanned} of={expected} />{" "}
          <span class="quiet">{plural(scanned, "message")} searched …</span>
        </p>
      ) : null}
      {conversation === undefined ? null : (
        <>
          <p role="status">
            {plural(conversation.messages.length, "message")} of {countText(conversation.scanned)} waiting
            ones
            {conversation.isComplete ? "" : "; there may be more"}.
          </p>
          <ResultTable label="Messages of the conversation" results={conversation.messages} />
        </>
      )}
    </main>
  );
}

async function follow(
  id: string,
  signal: AbortSignal,
  onChange: (change: Partial<Found>) => void,
): Promise<void> {
  try {
    for await (const event of lines<ConversationEvent>("conversation", { query: { id }, signal }))
      onChange(
        event.kind === "done"
          ? { conversation: event }
          : { scanned: event.scanned, expected: event.expected },
      );
  } catch (error) {
    if (!signal.aborted) onChange({ problem: errorText(error) });
  }
}
