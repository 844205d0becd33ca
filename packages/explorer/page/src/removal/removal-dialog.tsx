import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lines, post } from "../data/api.js";
import { countText, plural, timeText } from "../data/format.js";
import type { About, NumbersView, RemovalEvent, RemovalPreview, RemovalView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { Action, Problem, Table, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";

interface RemovalDialogProps {
  readonly about: About;
  /** A queue, subscription or one of their sub-queues. */
  readonly entity: string;
  /** The sequence numbers of those to delete; undefined to purge the entity. */
  readonly numbers: readonly string[] | undefined;
  onClose(): void;
}

/** How far a removal came: its result, or how many are removed so far. */
interface Progress {
  readonly removed: number;
  readonly result?: RemovalView;
  readonly isStopped?: boolean;
}

/** Deletes messages, or purges an entity: a dry run shows which, and for a purge the entity's name has to be typed. */
export function RemovalDialog({ about, entity, numbers, onClose }: RemovalDialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [preview, setPreview] = useState<RemovalPreview>();
  const [typed, setTyped] = useState("");
  const [progress, setProgress] = useState<Progress>();
  const [work, setWork] = useState<"dry run" | AbortController>();
  const { problem, attempt } = useAttempt();
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => () => (work instanceof AbortController ? work.abort() : undefined), [work]);

  const isPurge = numbers === undefined;
  const request = { entity, number: numbers };
  const rehearse = async () => {
    setWork("dry run");
    setProgress(undefined);
    await attempt(async () => setPreview(await post<RemovalPreview>("remove/preview", request)));
    setWork(undefined);
  };
  const remove = async ({ upTo, removable }: RemovalPreview) => {
    const controller = new AbortController();
    const { signal } = controller;
    setWork(controller);
    setPreview(undefined);
    setProgress({ removed: 0 });
    await attempt(async () => {
      const body = { ...request, upTo, limit: removable, confirm: typed };
      try {
        for await (const event of lines<RemovalEvent>("remove", { body, signal })) {
          if (event.kind === "progress") setProgress(event);
          else setProgress({ removed: event.removed, result: event });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
        setProgress((before) => ({ removed: before?.removed ?? 0, isStopped: true }));
      }
    });
    setWork(undefined);
  };
  const isRunning = work instanceof AbortController;
  return (
    <dialog ref={dialog} class="repair" aria-labelledby="removal-title" onClose={onClose}>
      <header>
        <h2 id="removal-title">
          {isPurge ? `Purge ${entity}` : `Delete ${plural(numbers.length, "message")}`}
        </h2>
        <Action text="✕" kind="quiet-button" label="Close" onClick={() => dialog.current?.close()} />
      </header>
      <p class="notice">What is deleted is gone for good: download or repair what is still needed.</p>
      {isPurge ? (
        <label class="field">
          <span>Type {entity} to purge it</span>
          <input
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      ) : null}
      <p class="actions">
        <Action text="Dry run" isDisabled={work !== undefined} onClick={rehearse} />
        <button
          type="button"
          class="danger"
          disabled={
            work !== undefined ||
            preview === undefined ||
            preview.removable === 0 ||
            preview.forbidden !== undefined ||
            !about.allowChanges ||
            (isPurge && typed !== entity)
          }
          onClick={() => preview && remove(preview)}
        >
          {isPurge ? "Purge" : "Delete"} {preview === undefined ? "" : countText(preview.removable)}
        </button>
        {isRunning ? <Action text="Stop" onClick={() => work.abort()} /> : null}
        {about.allowChanges ? null : (
          <span class="quiet">Read-only: start with --allow-changes to delete.</span>
        )}
      </p>
      <Problem text={problem ?? preview?.forbidden} />
      <Waiting isLoading={work === "dry run"} />
      {progress === undefined ? null : <Outcome progress={progress} isRunning={isRunning} />}
      {preview === undefined ? null : <Preview preview={preview} />}
    </dialog>
  );
}

function Preview({ preview }: { readonly preview: RemovalPreview }): VNode {
  const { removable, states, gone, active, messages } = preview;
  const byState = Object.entries(states).filter(([, count]) => count > 0);
  return (
    <section aria-label="Dry run">
      <p>
        <strong>{plural(removable, "message")}</strong> of {preview.path} would be deleted
        {byState.length === 0
          ? ""
          : `: ${byState.map(([state, count]) => `${countText(count)} ${state}`).join(", ")}`}
        .
      </p>
      <Left numbers={gone} text="not there any more" />
      <Left
        numbers={active}
        text="active, and would stay: to receive one of them alone is not possible, and those before it would count a failed delivery"
      />
      {messages.length === 0 ? null : (
        <Table label="Messages to delete" head={["Message", "Id", "Type", "Reason", "Enqueued"]}>
          {messages.map(({ number, messageId, subject, reason, state, enqueuedAt }) => (
            <tr key={number}>
              <th scope="row">
                № {number} {state === "active" ? null : <span class="badge">{state}</span>}
              </th>
              <td>
                <Text>{messageId ?? "–"}</Text>
              </td>
              <td>
                <Text>{subject ?? "–"}</Text>
              </td>
              <td>
                <Text>{reason ?? "–"}</Text>
              </td>
              <td>
                <Time at={enqueuedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {removable > messages.length ? (
        <p class="quiet">The first {countText(messages.length)} are shown.</p>
      ) : null}
    </section>
  );
}

function Outcome({
  progress,
  isRunning,
}: {
  readonly progress: Progress;
  readonly isRunning: boolean;
}): VNode {
  const { removed, result, isStopped = false } = progress;
  return (
    <section class="progress" aria-label="Progress" aria-live="polite">
      <p>
        <strong>
          {isRunning ? "running" : result !== undefined ? "done" : isStopped ? "stopped" : "failed"}
        </strong>
        : {countText(removed)} deleted
      </p>
      {result === undefined ? null : (
        <>
          <Left
            numbers={result.gone}
            text="not there any more: somebody else received, moved or cancelled them"
          />
          <Left numbers={result.active} text="active, and stay" />
          {result.locked === undefined ? null : (
            <Left
              numbers={result.locked}
              text={`locked by another receiver, and stay; until ${timeText(result.locked.until)} at the latest, unless it renews them`}
            />
          )}
        </>
      )}
    </section>
  );
}

function Left({ numbers, text }: { readonly numbers: NumbersView; readonly text: string }): VNode | null {
  const { count, examples } = numbers;
  if (count === 0) return null;
  const more = count > examples.length ? " …" : "";
  return (
    <p class="notice">
      {countText(count)} {text}: № {examples.join(", ")}
      {more}
    </p>
  );
}
