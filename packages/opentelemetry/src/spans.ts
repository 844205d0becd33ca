import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  trace,
} from "@opentelemetry/api";
import type {
  DiagnosticEvent,
  MessageFacts,
  OperationTrace,
  TracedOperation,
} from "@waybill/core/diagnostics";
import {
  errorType,
  messageAttributes,
  names,
  type OperationName,
  operationAttributes,
  operations,
  scopeName,
} from "./attributes.js";
import { contextProperties, spanContextOf } from "./trace-context.js";

/** Starts the span of an operation. */
export function beginTrace(operation: TracedOperation, isProcessChild: boolean): OperationTrace | undefined {
  switch (operation.type) {
    case "create":
      return beginCreate(operation);
    case "send":
    case "schedule":
      return beginSend(operation);
    case "receive":
    case "receiveDeferred":
    case "peek":
      return beginCall(operation);
    case "process":
      return beginProcess(operation, isProcessChild);
    case "settle":
      return beginSettle(operation);
  }
}

type Operation<Type extends TracedOperation["type"]> = Extract<TracedOperation, { readonly type: Type }>;
type CallOperation = Extract<TracedOperation, { readonly messages: unknown }>;

/** A message that already has a context was created by the application or another SDK, or is being forwarded: it gets no span. */
function beginCreate({ entityPath, message }: Operation<"create" | "process">): OperationTrace | undefined {
  if (spanContextOf(message) !== undefined) return undefined;
  return beginProducer(entityPath, operations.create, message);
}

/** A single message gets the context of this span; several have contexts of their own and are linked. */
function beginSend(call: CallOperation): OperationTrace {
  const { type, entityPath, messages, startedAtMs } = call;
  const [only, second] = messages;
  return only !== undefined && second === undefined && spanContextOf(only) === undefined
    ? beginProducer(entityPath, operations[type], only, startedAtMs)
    : beginCall(call);
}

/** The message gets the context of the span. */
function beginProducer(
  entityPath: string,
  operation: OperationName,
  message: MessageFacts,
  startTime?: TimeInput,
): OperationTrace {
  const attributes = messageAttributes(message);
  const span = startSpan(entityPath, { operation, kind: SpanKind.PRODUCER, attributes, startTime });
  return new SpanTrace(span, context.active(), contextProperties(span.spanContext()));
}

function beginCall({ type, entityPath, messages, startedAtMs }: CallOperation): OperationTrace {
  const settings = { operation: operations[type], ...several(messages), startTime: startedAtMs };
  return new SpanTrace(startSpan(entityPath, settings));
}

function beginProcess(
  { entityPath, message }: Operation<"create" | "process">,
  isChild: boolean,
): OperationTrace {
  const creation = spanContextOf(message);
  // Not the context that was current when the subscription began.
  const parent =
    isChild && creation !== undefined ? trace.setSpanContext(ROOT_CONTEXT, creation) : ROOT_CONTEXT;
  const span = startSpan(entityPath, {
    operation: operations.process,
    kind: SpanKind.CONSUMER,
    attributes: messageAttributes(message),
    links: linksTo([message]),
    parent,
  });
  return new SpanTrace(span, parent);
}

function beginSettle({ entityPath, message, verb }: Operation<"settle">): OperationTrace {
  const operation = operations[verb];
  const span = startSpan(entityPath, {
    operation,
    kind: SpanKind.CLIENT,
    attributes: { ...messageAttributes(message), [names.disposition]: operation.name },
    links: linksTo([message]),
  });
  return new SpanTrace(span);
}

interface SpanSettings {
  readonly operation: OperationName;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly links?: Link[];
  readonly parent?: Context;
  readonly startTime?: TimeInput | undefined;
}

function startSpan(entityPath: string, settings: SpanSettings): Span {
  const { operation, kind, attributes, links = [], parent, startTime } = settings;
  const options = {
    kind,
    attributes: { ...operationAttributes(entityPath, operation), ...attributes },
    links,
    ...(startTime === undefined ? {} : { startTime }),
  };
  return trace.getTracer(scopeName).startSpan(`${operation.name} ${entityPath}`, options, parent);
}

/** The attributes of a single message are set on the span; those of several on their links. */
function several(messages: readonly MessageFacts[]): Pick<SpanSettings, "kind" | "attributes" | "links"> {
  const [only, second] = messages;
  const isOne = only !== undefined && second === undefined;
  const attributes = isOne ? messageAttributes(only) : { [names.messageCount]: messages.length };
  return { kind: SpanKind.CLIENT, attributes, links: linksTo(messages) };
}

function linksTo(messages: readonly MessageFacts[]): Link[] {
  return messages.flatMap((message) => {
    const creation = spanContextOf(message);
    if (creation === undefined) return [];
    return messages.length === 1
      ? { context: creation }
      : { context: creation, attributes: messageAttributes(message) };
  });
}

class SpanTrace implements OperationTrace {
  readonly propertiesToAdd: OperationTrace["propertiesToAdd"];
  readonly #span: Span;
  readonly #context: Context;
  #hasFailed = false;

  constructor(
    span: Span,
    parent: Context = context.active(),
    propertiesToAdd?: OperationTrace["propertiesToAdd"],
  ) {
    this.#span = span;
    this.#context = trace.setSpan(parent, span);
    this.propertiesToAdd = propertiesToAdd;
  }

  run<T>(work: () => T): T {
    return context.with(this.#context, work);
  }

  onEvent(event: DiagnosticEvent): void {
    switch (event.type) {
      case "deserialize":
        this.#addReading(event);
        break;
      case "process":
        if (event.error !== undefined) this.#fail(event.error);
        break;
      case "undeserializable":
        this.#span.addEvent("waybill.undeserializable", { [names.unreadDisposition]: event.disposition });
        this.#fail(event.error);
    }
  }

  end(error?: unknown): void {
    if (error !== undefined) this.#fail(error);
    this.#span.end();
  }

  #addReading({ message, outcome, report }: Extract<DiagnosticEvent, { type: "deserialize" }>): void {
    if (!this.#span.isRecording()) return;
    const which = messageAttributes(message)[names.messageId];
    for (const { serializer, position, stage, reason, detail } of report.attempts) {
      this.#span.addEvent("waybill.deserialization_attempt", {
        [names.messageId]: which,
        [names.serializer]: serializer,
        [names.position]: position,
        [names.stage]: stage,
        [names.reason]: reason,
        [names.detail]: detail,
      });
    }
    this.#span.addEvent("waybill.deserialization", {
      [names.messageId]: which,
      [names.outcome]: outcome,
      [names.serializer]: report.serializer,
      [names.position]: report.position,
    });
  }

  /** Only the first error is recorded, because later ones follow from it. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#span.setAttribute(names.errorType, errorType(error));
    this.#span.setStatus({
      code: SpanStatusCode.ERROR,
      message: error instanceof Error ? error.message : "",
    });
    if (error instanceof Error) this.#span.recordException(error);
  }
}
