import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import { sizeText } from "../data/format.js";
import { href, useQuery } from "../data/route.js";
import type { About, MessageTemplate, SendRight, SentView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { type BodyKind, bodyKinds, MessageFields, messageRequest } from "../messages/message-fields.js";
import { HexTable } from "../parts/hex-table.js";
import { Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";

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
  const [kind, setKind] = useState<BodyKind>(
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
      const request = { ...(await messageRequest(form, kind)), entity };
      setSent(await post<SentView>(isSending ? "send" : "send/check", request));
    });
  };
  return (
    <form class="form" onSubmit={onSubmit}>
      <MessageFields about={about} kinds={bodyKinds} kind={kind} onKind={setKind} template={template}>
        <label class="field">
          <span>Due at (empty: now)</span>
          <input type="datetime-local" step={1} name="schedule" />
        </label>
      </MessageFields>
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
