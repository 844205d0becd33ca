import type { ComponentChildren, VNode } from "preact";
import type { About, MessageTemplate } from "../data/types.js";
import { Field, formValues, NumberField } from "../parts/parts.js";
import { formatProperties, parseProperties } from "./properties-text.js";

/** How the body is given: as a value that the chain writes, as bytes that are sent as they are, or not at all. */
export const bodyKinds = [
  ["json", "JSON, written by the chain"],
  ["text", "Text as it is"],
  ["base64", "Bytes in Base64"],
  ["file", "A file as it is"],
] as const;

/** The same for a message that has a body. */
export const editedBodyKinds = [["unchanged", "Unchanged"], ...bodyKinds] as const;

/** One of them. */
export type BodyKind = (typeof editedBodyKinds)[number][0];

interface MessageFieldsProps {
  readonly about: About;
  readonly kinds: readonly (readonly [BodyKind, string])[];
  readonly kind: BodyKind;
  onKind(kind: BodyKind): void;
  readonly template: MessageTemplate | undefined;
  /** Default: a new one. */
  readonly messageId?: string | undefined;
  readonly timeToLive?: number | undefined;
  /** More fields in the columns. */
  readonly children?: ComponentChildren;
}

/** The fields of a form for a message, filled in from a template. */
export function MessageFields({
  about,
  kinds,
  kind,
  onKind,
  template,
  messageId,
  timeToLive,
  children,
}: MessageFieldsProps): VNode {
  return (
    <>
      <label class="field inline">
        <span>Body is given as</span>
        <select value={kind} onChange={({ currentTarget }) => onKind(currentTarget.value as BodyKind)}>
          {kinds.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <BodyField key={kind} kind={kind} template={template} />
      <div class="columns">
        <label class="field">
          <span>Message type (subject)</span>
          <input
            name="subject"
            list="message-types"
            autocomplete="off"
            defaultValue={template?.subject ?? ""}
          />
          <datalist id="message-types">
            {about.messageTypes.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        {kind === "json" ? (
          <>
            <label class="field">
              <span>Serializer</span>
              <select name="serializer">
                <option value="">the main one</option>
                {about.serializers.map(({ name }) => (
                  <option key={name} selected={name === template?.serializer}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <NumberField label="Version (empty: the current one)" name="version" />
          </>
        ) : (
          <Field label="Content type" name="contentType" value={template?.contentType} />
        )}
        <Field
          label={messageId === undefined ? "Message id (empty: a new one)" : "Message id"}
          name="messageId"
          value={messageId}
        />
        <Field label="Correlation id" name="correlationId" value={template?.correlationId} />
        <Field label="Session id" name="sessionId" value={template?.sessionId} />
        <Field label="Reply to" name="replyTo" value={template?.replyTo} />
        <Field label="Reply to session id" name="replyToSessionId" value={template?.replyToSessionId} />
        <NumberField
          label="Time to live, in seconds (empty: the queue's)"
          name="timeToLive"
          min={0}
          hasFractions
          value={timeToLive === undefined ? undefined : String(timeToLive)}
        />
        {children}
      </div>
      <label class="field">
        <span>Application properties, one name=value per line; "7" in quotes is a string</span>
        <textarea
          name="properties"
          rows={3}
          spellcheck={false}
          defaultValue={formatProperties(template?.applicationProperties ?? {})}
        />
      </label>
    </>
  );
}

function BodyField({
  kind,
  template,
}: {
  readonly kind: BodyKind;
  readonly template: MessageTemplate | undefined;
}): VNode | null {
  if (kind === "unchanged") return null;
  if (kind === "file")
    return (
      <label class="field">
        <span>File</span>
        <input type="file" name="file" required />
      </label>
    );
  const [label, value] = {
    json: ["Body, as JSON", template?.body ?? '{\n  "id": 1\n}'],
    text: ["Body, as text", template?.text ?? ""],
    base64: ["Body, in Base64", template?.base64 ?? ""],
  }[kind];
  return (
    <label class="field">
      <span>{label}</span>
      <textarea name="body" rows={7} spellcheck={false} defaultValue={value} />
    </label>
  );
}

/** What a form says, as a request. Rejects for a body or a file that cannot be read. */
export async function messageRequest(form: HTMLFormElement, kind: BodyKind): Promise<object> {
  const { properties, body = "", schedule, ...values } = formValues(form);
  const bytes = kind === "json" || kind === "unchanged" ? undefined : await bytesOf(form, kind, body);
  return {
    ...values,
    ...(bytes !== undefined && { base64: bytes }),
    ...(kind === "json" && { body }),
    // The field has no time zone: it is the one of the browser.
    ...(schedule !== undefined && { schedule: new Date(schedule).toISOString() }),
    ...(properties !== undefined && { applicationProperties: parseProperties(properties) }),
  };
}

/** The bytes of the body in Base64. */
async function bytesOf(
  form: HTMLFormElement,
  kind: "text" | "base64" | "file",
  body: string,
): Promise<string> {
  if (kind === "base64") {
    const digits = body.replace(/\s/g, "");
    if (/^(?:[\w+/-]{4})*(?:[\w+/-]{2,3}={0,2})?$/.test(digits)) return digits;
    throw new Error("The body is not Base64.");
  }
  const content = kind === "file" ? new FormData(form).get("file") : body;
  return await base64Of(new Blob([content ?? ""]));
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(blob);
  });
}
