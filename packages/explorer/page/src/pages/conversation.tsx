import type { VNode } from "preact";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { Conversation } from "../data/types.js";
import { useLoad } from "../data/use-load.js";
import { ResultTable } from "../messages/result-table.js";
import { Field, formValues, Problem, Waiting } from "../parts/parts.js";

/** The messages related to an id: by correlation id, reply address and trace, oldest first. */
export function ConversationPage({ id }: { readonly id: string | undefined }): VNode {
  const path = id === undefined ? undefined : "conversation";
  const { value, error, isLoading } = useLoad<Conversation>(path, { id });
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
        <button type="submit">Follow</button>
      </form>
      <Problem text={error} />
      <Waiting isLoading={id !== undefined && isLoading} />
      {value === undefined ? null : (
        <>
          <p role="status">
            {plural(value.messages.length, "message")} of {countText(value.scanned)} waiting ones
            {value.isComplete ? "" : "; not every message was searched"}.
          </p>
          <ResultTable label="Messages of the conversation" results={value.messages} />
        </>
      )}
    </main>
  );
}
