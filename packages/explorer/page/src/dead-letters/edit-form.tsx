import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../data/api.js";
import { timeText } from "../data/format.js";
import { href } from "../data/route.js";
import type { About, EditedView, EditPreview, MessageTemplate } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { type BodyKind, editedBodyKinds, MessageFields, messageRequest } from "../messages/message-fields.js";
import { Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { Difference } from "./repair-differences.js";
import { TargetFields } from "./target-fields.js";

interface EditFormProps {
  readonly about: About;
  /** The path of the dead-letter queue. */
  readonly entity: string;
  readonly number: string;
}

/** Edits a dead letter and sends it again: it is removed only after that. */
export function EditForm({ about, entity, number }: EditFormProps): VNode {
  const { value: template, error } = useLoad<MessageTemplate>("template", { entity, number });
  return (
    <section aria-label="Edit and resend">
      <h2>
        Edit and resend <a href={href("entity", entity, "messages", number)}>№ {number}</a>
      </h2>
      <Problem text={error} />
      {template === undefined ? (
        <Waiting isLoading={error === undefined} />
      ) : (
        <Form about={about} entity={entity} number={number} template={template} />
      )}
    </section>
  );
}

function Form({
  about,
  entity,
  number,
  template,
}: EditFormProps & { readonly template: MessageTemplate }): VNode {
  const [kind, setKind] = useState<BodyKind>(kindOf(template));
  const [preview, setPreview] = useState<EditPreview>();
  const [isStale, setStale] = useState(false);
  const [edited, setEdited] = useState<EditedView>();
  const [isBusy, setBusy] = useState(false);
  const { problem, attempt } = useAttempt();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const isSending = (event.submitter as HTMLButtonElement | null)?.value === "send";
    const form = event.currentTarget;
    setBusy(true);
    setEdited(undefined);
    await attempt(async () => {
      const request = { ...(await messageRequest(form, kind)), entity, number };
      if (isSending) {
        setEdited(await post<EditedView>("edit", request));
        setPreview(undefined);
      } else {
        setPreview(await post<EditPreview>("edit/preview", request));
        setStale(false);
      }
    });
    setBusy(false);
  };
  const changed = () => setStale(true);
  return (
    <form class="form" onSubmit={onSubmit} onInput={changed}>
      {template.leftOut.length === 0 ? null : (
        <p class="notice">
          Kept as they are, since a form cannot hold their types: <Text>{template.leftOut.join(", ")}</Text>.
        </p>
      )}
      <MessageFields
        about={about}
        kinds={editedBodyKinds}
        kind={kind}
        onKind={setKind}
        template={template}
        messageId={template.messageId ?? ""}
        timeToLive={template.timeToLive}
      >
        <TargetFields entity={entity} />
        <label>
          <input type="checkbox" name="includeUndeserializable" value="true" /> also if the chain cannot read
          it
        </label>
      </MessageFields>
      <p class="actions">
        <button type="submit" value="preview" disabled={isBusy}>
          Dry run
        </button>
        <button
          type="submit"
          value="send"
          class="danger"
          disabled={
            isBusy ||
            preview === undefined ||
            isStale ||
            preview.forbidden !== undefined ||
            !about.allowChanges
          }
        >
          Send, and remove № {number}
        </button>
        {about.allowChanges ? null : (
          <span class="quiet">Read-only: start with --allow-changes to send.</span>
        )}
      </p>
      <Problem text={problem ?? preview?.forbidden} />
      {edited === undefined ? null : <Edited edited={edited} number={number} />}
      {preview === undefined ? null : <Preview preview={preview} isStale={isStale} />}
    </form>
  );
}

function kindOf({ body, text }: MessageTemplate): BodyKind {
  if (body !== undefined) return "json";
  return text === undefined ? "unchanged" : "text";
}

function Preview({ preview, isStale }: { readonly preview: EditPreview; readonly isStale: boolean }): VNode {
  const { difference, to, hasOwnId } = preview;
  const { reading } = difference;
  return (
    <section class={isStale ? "differences stale" : "differences"} aria-label="Dry run">
      <p>
        It would go to <strong>{to}</strong>.{" "}
        {reading?.status === "decoded" ? (
          <strong class="good">
            The chain reads it by {reading.serializer ?? "no serializer: an AMQP value"}
            {reading.messageType === undefined
              ? ""
              : `, as ${reading.messageType} version ${reading.messageVersion}`}
            .
          </strong>
        ) : (
          <strong class="bad">
            The chain does not read it: {reading?.reason ?? reading?.status}.{" "}
            <Text>
              {reading?.attempt === undefined ? "" : `${reading.attempt.reason}. ${reading.attempt.detail}`}
            </Text>
          </strong>
        )}
      </p>
      {hasOwnId ? (
        <p class="quiet">
          The target detects duplicates: it gets an id of its own, and a property keeps the first one.
        </p>
      ) : null}
      <Difference example={difference} isOpen={true} />
    </section>
  );
}

function Edited({ edited, number }: { readonly edited: EditedView; readonly number: string }): VNode {
  const { outcome, to, lockedUntil } = edited;
  const text = {
    sent: `It was sent to ${to}, and № ${number} was removed.`,
    "sent-before": `It had been sent before. Only № ${number} was removed now: what you changed was not sent.`,
    locked: `Nothing was sent: another receiver holds № ${number}, until ${timeText(lockedUntil)} at the latest, unless it renews its lock.`,
    gone: `Nothing was sent: № ${number} is not there any more, somebody else received or moved it.`,
    refused: `Nothing was sent, and № ${number} stays: ${edited.skipped.join(", ")}.`,
  }[outcome];
  return (
    <p class="notice" role="status">
      <strong class={outcome === "sent" ? "good" : "bad"}>{outcome}</strong>: {text}
      {edited.isPossibleDuplicate
        ? " An earlier attempt may have sent it as well: it may be there twice."
        : ""}
    </p>
  );
}
