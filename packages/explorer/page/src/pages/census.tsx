import type { TargetedSubmitEvent, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, lines } from "../data/api.js";
import { countText, timeText } from "../data/format.js";
import type { About, CensusPoint, PlanView } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { Action, Field, formValues, NumberField, Problem, Section, Waiting } from "../parts/parts.js";
import { CensusChart } from "./census-chart.js";

/** How many entities are charted at first. */
const maxCharts = 30;

interface Censuses {
  readonly points: readonly CensusPoint[];
  readonly plans: readonly PlanView[];
}

/** Waiting messages over time, by format and version; the progress of write plans; what can be retired. */
export function CensusPage({ about }: { readonly about: About }): VNode {
  const { value, error, isLoading, reload } = useLoad<Censuses>("census");
  const [progress, setProgress] = useState<string>();
  const { problem, attempt } = useAttempt();
  const take = async () => {
    setProgress("Counting …");
    await attempt(async () => {
      type Line = { kind: string; peeked?: number; expected?: number };
      for await (const line of lines<Line>("census", { body: {} }))
        if (line.kind === "progress")
          setProgress(`${countText(line.peeked ?? 0)} of ${countText(line.expected ?? 0)} read …`);
      reload();
    });
    setProgress(undefined);
  };
  const points = value?.points ?? [];
  const entities = [...new Set(points.flatMap(({ counts }) => counts.map(({ entity }) => entity)))].sort();
  const [shown, setShown] = useState(maxCharts);
  const latest = points.at(-1);
  const incomplete = latest?.incomplete ?? [];
  return (
    <main class="page">
      <h1>Census</h1>
      <p class="headline">
        <Action text="Take a census" isDisabled={progress !== undefined} onClick={take} />{" "}
        <span role="status">
          {progress ?? (points.length > 0 ? `Last one ${timeText(points.at(-1)?.at)}` : "")}
        </span>
      </p>
      <Problem text={problem ?? error} />
      <Waiting isLoading={isLoading && value === undefined} />
      <Plans plans={value?.plans ?? []} />
      {incomplete.length === 0 ? null : (
        <p class="notice">
          The last census did not read these to their end, there may be more: {incomplete.join(", ")}.
        </p>
      )}
      {points.length === 0 ? null : (
        <Section title="The whole namespace">
          <CensusChart entity={undefined} points={points} />
        </Section>
      )}
      {entities.slice(0, shown).map((entity) => (
        <Section key={entity} title={entity}>
          <CensusChart entity={entity} points={points} />
        </Section>
      ))}
      {entities.length > shown ? (
        <p>
          {countText(shown)} of {countText(entities.length)} entities shown.{" "}
          <Action text="Show all" kind="link" onClick={() => setShown(entities.length)} />
        </p>
      ) : null}
      {value !== undefined && points.length === 0 ? <p class="quiet">No census has been taken yet.</p> : null}
      <Verdict about={about} censusAt={latest?.at} />
    </main>
  );
}

function Plans({ plans }: { readonly plans: readonly PlanView[] }): VNode | null {
  if (plans.length === 0) return null;
  return (
    <Section title="Write plans">
      <ul class="groups">
        {plans.map((plan) => (
          <li key={plan.messageType} class="card">
            <h3>{plan.messageType}</h3>
            <p>
              {plan.from} → {plan.to}
            </p>
            <p>
              <meter
                min={0}
                max={100}
                value={plan.percent}
                aria-label={`${plan.percent} percent are written new`}
              />{" "}
              <strong>{plan.percent} % written new</strong> ({plan.phase})
            </p>
            <p class="quiet">
              {plan.waitingPercent === undefined
                ? "None of either kind waited at the last census."
                : `Of the messages that waited at the last census, ${plan.waitingPercent.toFixed(1)} % were new.`}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface VerdictAnswer {
  readonly answer: "yes" | "no" | "not-known";
  readonly evidence: readonly string[];
  readonly waiting: number;
  readonly lastSeenAt?: string;
  readonly reasons: readonly { readonly obstacle: string; readonly text: string; readonly todo: string }[];
}

const answers = Object.freeze({
  yes: "Safe to retire",
  no: "Not safe to retire yet",
  "not-known": "Not known whether it is safe to retire",
});

interface VerdictProps {
  readonly about: About;
  /** When the last census was taken, on which a verdict rests. */
  readonly censusAt: string | undefined;
}

function Verdict({ about, censusAt }: VerdictProps): VNode {
  const [verdict, setVerdict] = useState<VerdictAnswer>();
  useEffect(() => setVerdict(undefined), [censusAt]);
  const { problem, attempt } = useAttempt();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { target = "", ...values } = formValues(event.currentTarget);
    setVerdict(undefined);
    await attempt(async () =>
      setVerdict(await get<VerdictAnswer>("verdict", { ...JSON.parse(target), ...values })),
    );
  };
  return (
    <Section title="What can be retired">
      <form class="form columns" onSubmit={onSubmit}>
        <label class="field">
          <span>Serializer or version</span>
          <select name="target">
            {about.serializers.map(({ name }) => (
              <option key={name} value={JSON.stringify({ serializer: name })}>
                {name}
              </option>
            ))}
            {about.messageTypes.flatMap(({ name, versions }) =>
              versions.map((version) => (
                <option
                  key={`${name} ${version}`}
                  value={JSON.stringify({ messageType: name, messageVersion: version })}
                >
                  {name} version {version}
                </option>
              )),
            )}
          </select>
        </label>
        <Field label="Writers stopped at" name="writersStoppedAt" placeholder="2026-11-05T12:00:00Z" />
        <Field label="Queue in which consumers record what they read" name="reads" />
        <NumberField label="Longest schedule, in hours" name="longestScheduleInHours" min={0} hasFractions />
        <label>
          <input type="checkbox" name="sessionStatesAreFree" value="true" /> no session state is written with
          it
        </label>
        <p class="actions">
          <button type="submit">Decide</button>
        </p>
      </form>
      <Problem text={problem} />
      {verdict === undefined ? null : (
        <div class="card" role="status">
          <h3 class={verdict.answer === "yes" ? "good" : "bad"}>{answers[verdict.answer]}</h3>
          <p>
            {countText(verdict.waiting)} waiting need it; last seen {timeText(verdict.lastSeenAt)}.
          </p>
          <ul>
            {verdict.evidence.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {verdict.reasons.map(({ obstacle, text, todo }, index) => (
              <li key={index}>
                <strong>{obstacle}</strong>: {text} What to do: {todo}.
              </li>
            ))}
          </ul>
        </div>
      )}
    </Section>
  );
}
