import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { apiUrl, get } from "../data/api.js";
import { countText, plural, sizeText, timeText } from "../data/format.js";
import { href } from "../data/route.js";
import { sendTarget, subQueuePattern } from "../data/sub-queue.js";
import type { About, BodyTextView, MessageView, PropertyView, ReadingView } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import { useLoad } from "../data/use-load.js";
import { AttemptsTable } from "../parts/attempts-table.js";
import { CopyButton } from "../parts/copy-button.js";
import { HexTable } from "../parts/hex-table.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";
import { ValueBrowser } from "../parts/value-browser.js";
import { RemovalDialog } from "../removal/removal-dialog.js";

interface MessageDetailsProps {
  readonly about: About;
  readonly entity: string;
  readonly number: string;
  onClose(): void;
  /** Called when it may have been deleted. */
  onRemoved(): void;
}

/** One message: its value as the chain reads it, or why it cannot; its bytes; its properties. */
export function MessageDetails({ about, entity, number, onClose, onRemoved }: MessageDetailsProps): VNode {
  const [readAs, setReadAs] = useHashState("as");
  const [view, setView] = useHashState("view");
  const [isRemoving, setRemoving] = useState(false);
  const { value: message, error, isLoading } = useLoad<MessageView>("message", { entity, number, readAs });
  return (
    <article class="details" aria-label={`Message ${number}`}>
      <header>
        <div>
          <h2>
            {message === undefined ? (
              `Message ${number}`
            ) : (
              <Text>
                {message.messageType ?? message.subject ?? message.messageId ?? `Message ${number}`}
              </Text>
            )}
          </h2>
          {message === undefined ? null : (
            <p class="quiet">
              № {number} · <Time at={message.enqueuedAt} /> · delivered{" "}
              {plural(message.deliveryCount, "time")}
            </p>
          )}
        </div>
        <Action text="✕" kind="quiet-button" label="Close the message" onClick={onClose} />
      </header>
      <Problem text={error} />
      <Waiting isLoading={isLoading && message === undefined} />
      {message === undefined ? null : (
        <>
          <Views message={message} view={view} onView={setView} />
          {view === undefined || !message.isText ? (
            <Reading message={message} source={{ entity, number, readAs }} />
          ) : (
            <BodyText entity={entity} number={number} view={view} />
          )}
          <label class="field inline">
            <span>Decode as …</span>
            <select value={readAs ?? ""} onChange={({ currentTarget }) => setReadAs(currentTarget.value)}>
              <option value="">the chain decides</option>
              {about.serializers.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <Actions entity={entity} message={message} readAs={readAs} onRemove={() => setRemoving(true)} />
          {isRemoving ? (
            <RemovalDialog
              about={about}
              entity={entity}
              numbers={[number]}
              onClose={() => {
                setRemoving(false);
                onRemoved();
              }}
            />
          ) : null}
          <Properties title="Properties" properties={message.properties} />
          <Properties title="Application properties" properties={message.applicationProperties} />
        </>
      )}
    </article>
  );
}

const views = [
  [undefined, "As it is read"],
  ["json", "JSON"],
  ["text", "Text"],
] as const;

interface ViewsProps {
  readonly message: MessageView;
  readonly view: string | undefined;
  onView(view: string): void;
}

/** What to show of a body that is text, whatever the chain makes of it. */
function Views({ message, view, onView }: ViewsProps): VNode | null {
  if (!message.isText) return null;
  return (
    <fieldset class="views">
      <legend class="visually-hidden">View of the body</legend>
      {views.map(([name, title]) => (
        <button
          key={title}
          type="button"
          class="quiet-button"
          aria-pressed={view === name}
          onClick={() => onView(name ?? "")}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}

interface BodyTextProps {
  readonly entity: string;
  readonly number: string;
  readonly view: string;
}

/** The body as text, or as the JSON that it is. */
function BodyText({ entity, number, view }: BodyTextProps): VNode {
  const { value: body, error, isLoading } = useLoad<BodyTextView>("text", { entity, number });
  if (body === undefined)
    return (
      <>
        <Problem text={error} />
        <Waiting isLoading={isLoading} />
      </>
    );
  if (view === "json" && body.json !== undefined)
    return <ValueBrowser node={body.json} source={{ entity, number, plainJson: "true" }} />;
  return (
    <>
      {view === "json" ? <p class="notice">This text is no JSON object or list.</p> : null}
      <pre class="body-text" tabIndex={0}>
        <Text>{body.text}</Text>
      </pre>
      {body.text.length < body.length ? (
        <p class="quiet">
          The first {countText(body.text.length)} of {countText(body.length)} characters. <em>Copy body</em>{" "}
          copies all.
        </p>
      ) : null}
    </>
  );
}

interface ReadingProps {
  readonly message: MessageView;
  readonly source: { readonly entity: string; readonly number: string; readonly readAs: string | undefined };
}

function Reading({ message, source }: ReadingProps): VNode {
  const { reading, hex, record } = message;
  const { entity, number, readAs } = source;
  const isWaiting = reading.readAs !== readAs;
  return (
    <div class={isWaiting ? "reading stale" : "reading"}>
      {reading.readAs === undefined ? null : (
        <p class="notice">
          Decoded as <strong>{reading.readAs}</strong>, because you asked: consumers get what the chain makes
          of it.
          {reading.refused === undefined ? null : (
            <>
              {" "}
              Their message type refuses this value at the stage {reading.refused.stage}:{" "}
              <Text>{`${reading.refused.reason}. ${reading.refused.detail}`}</Text>
            </>
          )}
        </p>
      )}
      <Summary reading={reading} />
      {reading.looksLike === undefined ? null : <p class="notice">{reading.looksLike}</p>}
      {reading.value === undefined ? null : (
        <ValueBrowser key={`${number} ${readAs}`} node={reading.value} source={source} />
      )}
      <div class="side-by-side">
        {reading.attempts.length === 0 ? null : (
          <AttemptsTable title="Attempts" attempts={reading.attempts} decisive={reading.decisive} />
        )}
        {hex === undefined ? null : reading.status === "decoded" ? (
          <details>
            <summary>{sizeText(hex.bytes)} as they travelled</summary>
            <HexTable hex={hex} source={{ entity, number }} />
          </details>
        ) : (
          <HexTable hex={hex} source={{ entity, number }} />
        )}
      </div>
      {reading.contentEncodings.length > 0 && reading.attempts.length > 0 ? (
        <p class="quiet">
          Offsets are those of the body after decoding {reading.contentEncodings.join(", ")}.
        </p>
      ) : null}
      {record === undefined ? null : (
        <AttemptsTable
          title={`Attempts when it was dead-lettered, ${timeText(record.deadLetteredAt)}`}
          attempts={record.attempts}
          decisive={-1}
        />
      )}
    </div>
  );
}

function Summary({ reading }: { readonly reading: ReadingView }): VNode {
  const { status, serializer, position, messageType, messageVersion, upcastPath, declared } = reading;
  const facts = [
    messageType === undefined ? undefined : `${messageType} version ${messageVersion}`,
    upcastPath.length > 0 ? `upcast ${upcastPath.join(" → ")}` : undefined,
    reading.schema === undefined ? undefined : `schema: ${reading.schema}`,
    declared === undefined ? "not declared by a content type" : `declared as ${declared}`,
    reading.contentEncodings.length > 0 ? reading.contentEncodings.join(", ") : undefined,
    reading.encryptionKeyId === undefined ? undefined : `encrypted under ${reading.encryptionKeyId}`,
    reading.claimCheck === undefined ? undefined : "from the claim-check store",
    sizeText(reading.bytes),
    reading.durationInMs === undefined ? undefined : `${reading.durationInMs.toFixed(1)} ms`,
  ];
  return (
    <div class="summary">
      <p>
        {status === "decoded" ? (
          <strong class="good">
            {reading.isEmpty ? "No body" : `Read by ${serializer ?? "no serializer: an AMQP value"}`}
            {position < 0
              ? ""
              : position === 0
                ? ", the main serializer"
                : `, additional deserializer ${position}`}
          </strong>
        ) : (
          <strong class="bad">
            {status === "unavailable"
              ? `Unavailable: ${reading.error}`
              : `${reading.reason} after ${plural(reading.attempts.length, "attempt")}`}
          </strong>
        )}
      </p>
      <p class="quiet">
        <Text>{facts.filter((fact) => fact !== undefined).join(" · ")}</Text>
      </p>
    </div>
  );
}

interface ActionsProps {
  readonly entity: string;
  readonly message: MessageView;
  readonly readAs: string | undefined;
  onRemove(): void;
}

function Actions({ entity, message, readAs, onRemove }: ActionsProps): VNode {
  const { sequenceNumber: number, correlationId, messageId, applicationProperties } = message;
  const copied = (part: "body" | "value") => async () =>
    (await get<{ text: string }>("copied", { entity, number, part, readAs })).text;
  const trace = applicationProperties.find(({ name }) => name === "traceparent" || name === "Diagnostic-Id")
    ?.value.text;
  const id = correlationId ?? messageId;
  const isDead = subQueuePattern.test(entity);
  const isReadable = message.status === "decoded";
  return (
    <p class="actions">
      {message.hex === undefined && !message.isText ? null : (
        <CopyButton
          name={message.isText ? "Copy body" : "Copy body, in Base64"}
          text="Copy body"
          content={copied("body")}
        />
      )}
      {message.reading.value === undefined ? null : (
        <CopyButton name="Copy value, as JSON" text="Copy value" content={copied("value")} />
      )}
      {isReadable ? (
        <>
          <a class="button" href={apiUrl("golden", { entity, number })} download>
            Download, redacted
          </a>
          <a class="button" href={apiUrl("golden", { entity, number, redact: "false" })} download>
            Download as it is
          </a>
        </>
      ) : (
        <a class="button" href={apiUrl("raw", { entity, number, redact: "false" })} download>
          Download as it is, not redacted
        </a>
      )}
      <a
        class="button"
        href={`${href("entity", sendTarget(entity), "send")}?${new URLSearchParams({ from: entity, number })}`}
      >
        Send as another …
      </a>
      {isDead ? (
        <a class="button" href={href("entity", entity, "edit", number)}>
          Edit and resend …
        </a>
      ) : null}
      {/* An active message cannot be received alone. */}
      {isDead || message.state !== "active" ? (
        <Action text="Delete …" kind="quiet-button" onClick={onRemove} />
      ) : null}
      {id === undefined ? null : (
        <a class="button" href={href("conversation", id)}>
          Conversation
        </a>
      )}
      {trace === undefined ? null : (
        <a class="button" href={href("conversation", trace)}>
          Trace
        </a>
      )}
    </p>
  );
}

function Properties({
  title,
  properties,
}: {
  readonly title: string;
  readonly properties: readonly PropertyView[];
}): VNode {
  return (
    <details open={properties.length > 0 && properties.length < 16}>
      <summary>
        {title} ({properties.length})
      </summary>
      {properties.length === 0 ? null : (
        <CopyButton
          name={`Copy all ${title.toLowerCase()}, as JSON`}
          text="Copy all"
          content={JSON.stringify(
            Object.fromEntries(properties.map(({ name, value }) => [name, value.text])),
            undefined,
            2,
          )}
        />
      )}
      <dl class="properties">
        {properties.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd class={`value ${value.kind}`} title={value.kind}>
              <Text>{value.text}</Text>
              {value.kind === "date" ? (
                <small>
                  {" "}
                  <Time at={value.text} />
                </small>
              ) : null}
              {/Id$|^sequenceNumber$/.test(name) ? (
                <CopyButton name={`Copy ${name}`} content={value.text} />
              ) : null}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
