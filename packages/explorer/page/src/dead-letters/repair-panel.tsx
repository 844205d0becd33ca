import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../data/api.js";
import { countText, plural, timeText } from "../data/format.js";
import type { About, GroupView, InterruptedView, RepairJobView, RepairPreview } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { Action, formValues, NumberField, Problem } from "../parts/parts.js";
import { Interrupted, Plan } from "./interrupted-repair.js";
import { Differences } from "./repair-differences.js";
import { TargetFields } from "./target-fields.js";

interface RepairPanelProps {
  readonly about: About;
  readonly entity: string;
  /** Undefined for all messages that can be read. */
  readonly group: GroupView | undefined;
  /** The sequence numbers of a selection. */
  readonly numbers?: readonly string[] | undefined;
  readonly repairs: readonly RepairJobView[];
  onClose(): void;
}

type Preview = RepairPreview & { readonly receipts: string };

/**
 * A repair: its settings, preview and progress. It is cancelled between two batches. An interrupted one is resumed with the plan in its receipts,
 * whatever group is open and whatever the form says.
 */
export function RepairPanel({ about, entity, group, numbers, repairs, onClose }: RepairPanelProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [preview, setPreview] = useState<Preview>();
  const [isStale, setStale] = useState(false);
  const [started, setStarted] = useState<RepairJobView>();
  const { problem, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const { value: receipts, reload } = useLoad<{ found?: InterruptedView }>("repair/interrupted", { entity });
  const [isReplacing, setReplacing] = useState(false);

  const ask = async <T,>(path: string, onAnswer: (answer: T) => void, more: object = {}) => {
    // A field that holds no number has no value, and an empty one means "all".
    if (form.current?.reportValidity() === false) return;
    setBusy(true);
    const plan = isResuming
      ? { resume: true }
      : { ...requestOf(form.current), ...criteriaOf(group), ...(numbers && { number: numbers }) };
    const request = { ...plan, ...more, entity, ...(isReplacing && { replace: true }) };
    await attempt(async () => onAnswer(await post<T>(path, request)));
    setBusy(false);
  };
  const show = (answer: Preview) => {
    setPreview(answer);
    setStale(false);
  };
  // The page may have been closed while the repair continued.
  const job = repairs.find(({ id }) => id === started?.id) ?? started ?? unfinished(repairs, entity);
  const isRunning = job?.state === "running" || job?.state === "cancelling";
  useEffect(reload, [isRunning]);
  const interrupted = isRunning || isReplacing ? undefined : receipts?.found;
  const isResuming = interrupted !== undefined;
  return (
    <dialog ref={dialog} class="repair" aria-labelledby="repair-title" onClose={onClose}>
      <header>
        <h2 id="repair-title">Repair {titleOf(group, numbers)}</h2>
        <Action text="✕" kind="quiet-button" label="Close" onClick={() => dialog.current?.close()} />
      </header>
      {isResuming ? (
        <Interrupted
          interrupted={interrupted}
          onReplace={() => {
            setReplacing(true);
            setPreview(undefined);
          }}
        />
      ) : (
        <Settings
          form={form}
          entity={entity}
          isWhole={group === undefined && numbers === undefined}
          isRunning={isRunning}
          onChange={() => setStale(true)}
        />
      )}
      <p class="actions">
        <Action
          text="Dry run"
          isDisabled={isBusy || isRunning}
          onClick={() => ask<Preview>("repair/preview", show)}
        />
        <button
          type="button"
          class="danger"
          disabled={
            isBusy ||
            isRunning ||
            preview === undefined ||
            isStale ||
            !about.allowChanges ||
            preview.forbidden !== undefined ||
            (preview.resubmittable === 0 && !isResuming)
          }
          onClick={() => {
            // Never more than the dry run showed, whatever arrives meanwhile. A resumed repair keeps its own limit.
            const limit = isResuming ? {} : { limit: preview?.resubmittable };
            setPreview(undefined);
            setReplacing(false);
            return ask<RepairJobView>("repair", setStarted, limit);
          }}
        >
          {isResuming ? "Resume" : "Repair"} {preview === undefined ? "" : countText(preview.resubmittable)}
        </button>
        {about.allowChanges ? null : (
          <span class="quiet">Read-only: start with --allow-changes to repair.</span>
        )}
      </p>
      <Problem text={problem ?? preview?.forbidden} />
      {job === undefined ? null : (
        <Progress
          job={job}
          total={preview?.resubmittable}
          onCancel={() => ask<RepairJobView>("repair/cancel", setStarted, { id: job.id })}
        />
      )}
      {preview === undefined ? null : <Differences preview={preview} isStale={isStale} />}
    </dialog>
  );
}

/** The last repair of a dead-letter queue, unless it has ended. */
export function unfinished(repairs: readonly RepairJobView[], entity: string): RepairJobView | undefined {
  const last = repairs.find(({ path }) => path.toLowerCase() === entity.toLowerCase());
  return last?.state === "done" || last?.state === "failed" ? undefined : last;
}

interface SettingsProps {
  readonly form: { current: HTMLFormElement | null };
  readonly entity: string;
  /** Whether neither a group nor a selection is repaired. */
  readonly isWhole: boolean;
  readonly isRunning: boolean;
  onChange(): void;
}

function Settings({ form, entity, isWhole, isRunning, onChange }: SettingsProps): VNode {
  return (
    <form ref={form} class="form" onChange={onChange} onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={isRunning}>
        <legend>The bodies</legend>
        <label>
          <input type="radio" name="body" value="as-is" defaultChecked /> byte for byte
        </label>
        <label>
          <input type="radio" name="body" value="transcode" /> written again by the main serializer, in the
          current version
        </label>
        <label>
          <input type="checkbox" name="includeUndeserializable" value="true" /> also what still cannot be
          read, byte for byte
        </label>
      </fieldset>
      {isWhole ? <Criteria isRunning={isRunning} /> : null}
      <fieldset disabled={isRunning} class="columns">
        <legend>Where to, and how fast</legend>
        <TargetFields entity={entity} />
        <NumberField label="Messages per second (empty: no limit)" name="rate" min={0} hasFractions />
        <NumberField label="Maximum number (empty: all)" name="limit" />
        <NumberField label="Leave those sent again this often before (empty: 3)" name="maxResubmits" />
        <NumberField
          label="Seconds to wait for more before the queue counts as empty (empty: 2)"
          name="wait"
          min={0}
          max={300}
        />
      </fieldset>
    </form>
  );
}

/** Which ones, as the options of the command select them. */
function Criteria({ isRunning }: { readonly isRunning: boolean }): VNode {
  return (
    <fieldset disabled={isRunning}>
      <legend>Which ones</legend>
      <details>
        <summary>Only some of them: each of these that is given has to match with one of its lines</summary>
        <div class="columns">
          {criteria.map(([name, label]) => (
            <label key={name} class="field">
              <span>{label}, one per line</span>
              <textarea name={name} rows={2} spellcheck={false} />
            </label>
          ))}
        </div>
      </details>
    </fieldset>
  );
}

const criteria = [
  ["reason", "Reasons"],
  ["messageType", "Message types or subjects"],
  ["format", "Serializers that read them now, or content types"],
  ["number", "Sequence numbers"],
] as const;

interface ProgressProps {
  readonly job: RepairJobView;
  readonly total: number | undefined;
  onCancel(): void;
}

function Progress({ job, total, onCancel }: ProgressProps): VNode {
  const done = job.resubmitted + job.resumed;
  return (
    <section class="progress" aria-label="Progress" aria-live="polite">
      <Plan parts={job.plan} />
      <progress max={Math.max(total ?? done, done, 1)} value={done} aria-label="Messages sent again" />
      <p>
        <strong>{job.state}</strong>: {countText(job.resubmitted)} sent again
        {job.maybeSent > 0 ? `, ${countText(job.maybeSent)} more may have been sent` : ""}
        {job.resumed > 0 ? `, ${countText(job.resumed)} had been sent before and were removed` : ""}
        {Object.entries(job.skipped).map(([why, count]) => `, ${countText(count ?? 0)} stay: ${why}`)}
        {job.possibleDuplicates.length > 0
          ? `, ${plural(job.possibleDuplicates.length, "possible duplicate")}`
          : ""}
      </p>
      {job.state === "running" ? <Action text="Cancel" onClick={onCancel} /> : null}
      {job.state === "cancelled" ? (
        <p class="notice">
          Cancelled between two batches: what was sent is noted, nothing is lost, nothing will be sent twice.
        </p>
      ) : null}
      {job.locked === undefined ? null : (
        <p class="notice">
          {plural(job.locked.count, "dead letter")} could not be received: a repair that was killed or another
          receiver holds the locks, until {timeText(job.locked.until)} at the latest. Resume then.
        </p>
      )}
      <Problem text={job.error} />
      <p class="quiet">Receipts: {job.receipts}</p>
    </section>
  );
}

function requestOf(form: HTMLFormElement | null): Record<string, unknown> {
  const { body, ...values } = form === null ? {} : formValues(form);
  const lists = criteria.flatMap(([name]) => {
    const lines = (values[name] ?? "").split("\n").filter((line) => line.trim() !== "");
    return lines.length === 0 ? [] : [[name, lines.map((line) => line.trim())] as const];
  });
  return { ...values, ...Object.fromEntries(lists), transcode: body === "transcode" };
}

function titleOf(group: GroupView | undefined, numbers: readonly string[] | undefined): string {
  if (numbers !== undefined) return plural(numbers.length, "selected dead letter");
  return group === undefined ? "what can be read" : (group.reason ?? "dead letters");
}

function criteriaOf(group: GroupView | undefined): Record<string, unknown> {
  if (group === undefined) return {};
  const { reason, messageType, messageVersion, mediaType } = group;
  return { group: { reason, messageType, messageVersion, mediaType } };
}
