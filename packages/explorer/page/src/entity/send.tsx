import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import { sizeText } from "../data/format.js";
import type { About, SendRight, SentView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { HexTable } from "../parts/hex-table.js";
import { Field, formValues, Problem } from "../parts/parts.js";

/** A form to send a message: the chain's serializer writes it, its schemas check it. */
export function SendForm({ about, entity }: { readonly about: About; readonly entity: string }): VNode {
  const [sent, setSent] = useState<SentView>();
  const { value: right } = useLoad<SendRight>("may-send", { entity });
  const forbidden = about.allowChanges
    ? right?.answer === "no"
      ? right.why
      : undefined
    : "Read-only: start with --allow-changes to send.";
  const { problem, attempt } = useAttempt();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isSending = (event.submitter as HTMLButtonElement | null)?.value === "send";
    setSent(undefined);
    const { properties, ...values } = formValues(event.currentTarget);
    const applicationProperties = properties === undefined ? undefined : propertiesOf(properties);
    const body = { ...values, entity, applicationProperties };
    await attempt(async () => setSent(await post<SentView>(isSending ? "send" : "send/check", body)));
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      <label class="field">
        <span>Body, as JSON</span>
        <textarea name="body" rows={10} spellcheck={false} defaultValue={'{\n  "id": 1\n}'} />
      </label>
      <div class="columns">
        <label class="field">
          <span>Message type (subject)</span>
          <input name="subject" list="message-types" autocomplete="off" />
          <datalist id="message-types">
            {about.messageTypes.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label class="field">
          <span>Serializer</span>
          <select name="serializer">
            <option value="">the main one</option>
            {about.serializers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Field label="Version (empty: the current one)" name="version" type="number" />
        <Field label="Message id (empty: a new one)" name="messageId" />
        <Field label="Correlation id" name="correlationId" />
        <Field label="Session id" name="sessionId" />
      </div>
      <label class="field">
        <span>Application properties, one name=value per line</span>
        <textarea name="properties" rows={3} spellcheck={false} />
      </label>
      <p class="actions">
        <button type="submit" value="check">
          Check
        </button>
        <button
          type="submit"
          value="send"
          class="danger"
          disabled={forbidden !== undefined}
          aria-describedby={forbidden === undefined ? undefined : "forbidden"}
        >
          Send
        </button>
        {forbidden === undefined ? null : (
          <span id="forbidden" class="quiet">
            {forbidden}
          </span>
        )}
      </p>
      <Problem text={problem} />
      {sent === undefined ? null : (
        <div class="card" role="status">
          <p>
            <strong class="good">{sent.isSent ? "Sent" : "Valid"}</strong>: {sent.messageId},{" "}
            {sent.contentType}, {sizeText(sent.bytes)}
          </p>
          <HexTable hex={sent.hex} />
        </div>
      )}
    </form>
  );
}

/** Parses numbers and booleans; everything else is a string. */
function propertiesOf(text: string): Record<string, string | number | boolean> {
  const entries = text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    if (at < 1) return [];
    const value = line.slice(at + 1).trim();
    return [[line.slice(0, at).trim(), typed(value)] as const];
  });
  return Object.fromEntries(entries);
}

function typed(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text) ? Number(text) : text;
}
