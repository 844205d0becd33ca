import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import type { MessageView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { AttemptsTable } from "../parts/attempts-table.js";
import { HexTable } from "../parts/hex-table.js";
import { Field, formValues, Problem } from "../parts/parts.js";
import { ValueTree } from "../parts/value-view.js";

/** Reads a pasted body with the chain. */
export function DecodePage(): VNode {
  const [view, setView] = useState<MessageView>();
  const { problem, attempt } = useAttempt();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const file = form.querySelector<HTMLInputElement>("input[type=file]")?.files?.[0];
    setView(undefined);
    await attempt(async () => {
      const chosen = file && { base64: base64Of(new Uint8Array(await file.arrayBuffer())) };
      setView(await post<MessageView>("decode-body", { ...formValues(form), ...chosen }));
    });
  };
  return (
    <main class="page">
      <h1>Decode a body</h1>
      <form class="form" onSubmit={onSubmit}>
        <label class="field">
          <span>A file</span>
          <input type="file" />
        </label>
        <label class="field">
          <span>Or Base64</span>
          <textarea name="base64" rows={4} spellcheck={false} />
        </label>
        <Field label="Content type" name="contentType" />
        <Field label="Subject" name="subject" />
        <button type="submit">Decode</button>
      </form>
      <Problem text={problem} />
      {view === undefined ? null : (
        <div class="card">
          <p>
            <strong class={view.status === "decoded" ? "good" : "bad"}>
              {view.status === "decoded"
                ? `Read by ${view.serializer ?? "no serializer"}`
                : (view.reason ?? view.status)}
            </strong>
          </p>
          {view.reading.looksLike === undefined ? null : <p class="notice">{view.reading.looksLike}</p>}
          {view.reading.value === undefined ? null : <ValueTree node={view.reading.value} />}
          {view.reading.attempts.length === 0 ? null : (
            <AttemptsTable
              title="Attempts"
              attempts={view.reading.attempts}
              decisive={view.reading.decisive}
            />
          )}
          {view.hex === undefined ? null : <HexTable hex={view.hex} />}
        </div>
      )}
    </main>
  );
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 32_768)
    text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  return btoa(text);
}
