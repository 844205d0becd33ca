import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import { sizeText } from "../data/format.js";
import { href, useQuery } from "../data/route.js";
import type { About, MessageTemplate, SendRight, SentView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { HexTable } from "../parts/hex-table.js";
import { Field, formValues, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { formatProperties, parseProperties } from "./properties-text.js";

/** How the body is given: as a value that the chain writes, or as bytes that are sent as they are. */
const kinds = [
  ["json", "JSON, written by the chain"],
  ["text", "Text as it is"],
  ["base64", "Bytes in Base64"],
  ["file", "A file as it is"],
] as const;

type Kind = (typeof kinds)[number][0];

interface SendProps {
  readonly about: About;
  readonly entity: string;
}

/** A form to send a message. Its address may name a message that is the template. */
export function SendForm({ about, entity }: SendProps): VNode {
  const query = useQuery();
  const [from, number] = [query.get("from") ?? undefined, query.get("number") ?? undefined];
  const path = from === undefined || number === undefined ? undefined : "template";
  const { value: template, error } = useLoad<MessageTemplate>(path, { entity: from, number });
  if (path !== undefined && template === undefined)
    return (
      <>
        <Problem text={error} />
        <Waiting isLoading={error === undefined} />
      </>
    );
  return (
    <>
      {template === undefined ? null : (
        <p class="notice">
          Filled in from message {number} of {from}, without its id.
          {template.leftOut.length === 0 ? null : (
            <>
              {" "}
              Left out, since a form cannot hold their types: <Text>{template.leftOut.join(", ")}</Text>.
            </>
          )}
        </p>
      )}
      <Form key={`${from} ${number}`} about={about} entity={entity} template={template} />
    </>
  );
}

function Form({
  about,
  entity,
  template,
}: SendProps & { readonly template: MessageTemplate | undefined }): VNode {
  const [kind, setKind] = useState<Kind>(
    template === undefined || template.body !== undefined ? "json" : "base64",
  );
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
    const form = event.currentTarget;
    setSent(undefined);
    await attempt(async () => {
      const request = { ...(await requestOf(form, kind)), entity };
      setSent(await post<SentView>(isSending ? "send" : "send/check", request));
    });
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      <label class="field inline">
        <span>Body is given as</span>
        <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
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
            <Field label="Version (empty: the current one)" name="version" type="number" />
          </>
        ) : (
          <Field label="Content type" name="contentType" value={template?.contentType} />
        )}
        <Field label="Message id (empty: a new one)" name="messageId" />
        <Field label="Correlation id" name="correlationId" value={template?.correlationId} />
        <Field label="Session id" name="sessionId" value={template?.sessionId} />
        <Field label="Reply to" name="replyTo" value={template?.replyTo} />
        <Field label="Reply to session id" name="replyToSessionId" value={template?.replyToSessionId} />
        <Field label="Time to live, in seconds (empty: the queue's)" name="timeToLive" type="number" />
        <label class="field">
          <span>Due at (empty: now)</span>
          <input type="datetime-local" step={1} name="schedule" />
        </label>
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
      {sent === undefined ? null : <Sent entity={entity} sent={sent} />}
    </form>
  );
}

function BodyField({
  kind,
  template,
}: {
  readonly kind: Kind;
  readonly template: MessageTemplate | undefined;
}): VNode {
  if (kind === "file")
    return (
      <label class="field">
        <span>File</span>
        <input type="file" name="file" required />
      </label>
    );
  const [label, value] = {
    json: ["Body, as JSON", template?.body ?? '{\n  "id": 1\n}'],
    text: ["Body, as text", ""],
    base64: ["Body, in Base64", template?.base64 ?? ""],
  }[kind];
  return (
    <label class="field">
      <span>{label}</span>
      <textarea name="body" rows={10} spellcheck={false} defaultValue={value} />
    </label>
  );
}

function Sent({ entity, sent }: { readonly entity: string; readonly sent: SentView }): VNode {
  const { sequenceNumber } = sent;
  return (
    <div class="card" role="status">
      <p>
        <strong class="good">
          {sent.isSent ? (sequenceNumber === undefined ? "Sent" : "Scheduled") : "Valid"}
        </strong>
        : {sent.messageId}, {sent.contentType ?? "no content type"}, {sizeText(sent.bytes)}
        {sequenceNumber === undefined ? null : (
          <>
            {", "}
            <a href={href("entity", entity, "messages", String(sequenceNumber))}>
              № {String(sequenceNumber)}
            </a>
          </>
        )}
      </p>
      <HexTable hex={sent.hex} />
    </div>
  );
}

async function requestOf(form: HTMLFormElement, kind: Kind): Promise<object> {
  const { properties, body = "", schedule, ...values } = formValues(form);
  const bytes = await bytesOf(form, kind, body);
  return {
    ...values,
    ...(bytes === undefined ? { body } : { base64: bytes }),
    // The field has no time zone: it is the one of the browser.
    ...(schedule !== undefined && { schedule: new Date(schedule).toISOString() }),
    ...(properties !== undefined && { applicationProperties: parseProperties(properties) }),
  };
}

/** The bytes of the body in Base64; undefined for a value that the chain writes. */
async function bytesOf(form: HTMLFormElement, kind: Kind, body: string): Promise<string | undefined> {
  if (kind === "json") return undefined;
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
