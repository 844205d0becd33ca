import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { apiUrl } from "../data/api.js";
import { plural, sizeText, timeText } from "../data/format.js";
import { href } from "../data/route.js";
import type { About, MessageView, PropertyView, ReadingView } from "../data/types.js";
import { useLoad } from "../data/use-load.js";
import { AttemptsTable } from "../parts/attempts-table.js";
import { HexTable } from "../parts/hex-table.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { ValueTree } from "../parts/value-view.js";

interface MessageDetailsProps {
  readonly about: About;
  readonly entity: string;
  readonly number: string;
  onClose(): void;
}

/** One message: its value as the chain reads it, or why it cannot; its bytes; its properties. */
export function MessageDetails({ about, entity, number, onClose }: MessageDetailsProps): VNode {
  const [readAs, setReadAs] = useState<string>();
  const { value: message, error, isLoading } = useLoad<MessageView>("message", { entity, number, readAs });
  return (
    <article class="details" aria-label={`Message ${number}`}>
      <header>
        <h2>Message {number}</h2>
        <Action text="✕" kind="quiet-button" label="Close the message" onClick={onClose} />
      </header>
      <Problem text={error} />
      <Waiting isLoading={isLoading && message === undefined} />
      {message === undefined ? null : (
        <>
          <Reading message={message} source={{ entity, number, readAs }} />
          <label class="field inline">
            <span>Decode as …</span>
            <select
              value={readAs ?? ""}
              onChange={({ currentTarget }) => setReadAs(currentTarget.value || undefined)}
            >
              <option value="">the chain decides</option>
              {about.serializers.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <Actions entity={entity} message={message} />
          <Properties title="Properties" properties={message.properties} />
          <Properties title="Application properties" properties={message.applicationProperties} />
        </>
      )}
    </article>
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
        </p>
      )}
      <Summary reading={reading} />
      {reading.looksLike === undefined ? null : <p class="notice">{reading.looksLike}</p>}
      {reading.value === undefined ? null : (
        <ValueTree key={`${number} ${readAs}`} node={reading.value} source={source} />
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

function Actions({ entity, message }: { readonly entity: string; readonly message: MessageView }): VNode {
  const { sequenceNumber: number, correlationId, messageId, applicationProperties } = message;
  const trace = applicationProperties.find(({ name }) => name === "traceparent" || name === "Diagnostic-Id")
    ?.value.text;
  const id = correlationId ?? messageId;
  const isReadable = message.status === "decoded";
  return (
    <p class="actions">
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
      <dl class="properties">
        {properties.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd class={`value ${value.kind}`} title={value.kind}>
              <Text>{value.text}</Text>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
