import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { About, BreakerView, EntityView, HealthView, OpenCircuitView } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import type { Live } from "../data/use-live.js";
import { type Rates, ratesOf, sumOfRates } from "../overview/rates.js";
import { useBreakers } from "../overview/use-breakers.js";
import { type Health, useHealth } from "../overview/use-health.js";
import { type Sample, sumOf } from "../overview/use-samples.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { type Column, SortableTable } from "../parts/sortable-table.js";
import { Time } from "../parts/time.js";
import { HourChart } from "./hour-chart.js";

interface OverviewProps {
  readonly about: About;
  readonly live: Live;
  readonly samples: readonly Sample[];
}

/** An entity, or several that are shown as one. */
interface Row {
  readonly name: string;
  readonly isGroup: boolean;
  readonly active: number | undefined;
  readonly deadLetters: number | undefined;
  readonly rates: Rates;
  readonly health: HealthView | undefined;
  /** Of those whose readers announce themselves. */
  readonly breakers: readonly BreakerView[];
}

/** The first page: where messages wait, which ones are dead letters, and how many of those can be read now. */
export function Overview({ about, live, samples }: OverviewProps): VNode {
  const entities = useMemo(
    () => (live.entities ?? []).filter(({ kind }) => kind !== "topic"),
    [live.entities],
  );
  const [visible, setVisible] = useState<readonly string[]>([]);
  const [find = "", setFind] = useHashState("find");
  const [only, setOnly] = useHashState("only");
  const [group, setGroup] = useHashState("group");
  const text = find.toLowerCase();
  const found = entities.filter(
    ({ path, counts }) =>
      path.toLowerCase().includes(text) &&
      // What is not known may have dead letters.
      (only === undefined || counts === undefined || counts.deadLetter > 0),
  );
  const all = group === undefined ? found.map((each) => [each]) : groupsOf(found);
  const inView = new Set(visible);
  const { byPath, problem, lookAtAll, lookAgain } = useHealth(
    entities,
    all
      .filter((members) => members.length <= maxMembers && inView.has(nameOf(members)))
      .flatMap((members) => members.map(({ path }) => path)),
  );
  const { breakers, problem: beaconProblem, reload: reloadBreakers } = useBreakers(about);
  const rows = all.map((members) => ({
    ...rowOf(members, samples, byPath),
    breakers: members.flatMap(({ path }) => breakers?.get(path.toLowerCase()) ?? []),
  }));
  const failed = found.flatMap(({ path }) => byPath.get(path)?.view.problem ?? []);
  const unknown = found.filter(({ path }) => !byPath.has(path)).length;
  return (
    <main class="page">
      <h1>{about.namespace}</h1>
      <Totals live={live} />
      {samples.length === 0 ? null : (
        <div class="side-by-side">
          <HourChart title="Active messages" samples={samples} of={({ active }) => active} />
          <HourChart title="Dead letters" samples={samples} of={({ deadLetters }) => deadLetters} />
        </div>
      )}
      <p class="filters">
        <label>
          <span class="visually-hidden">Filter the table</span>
          <input
            type="search"
            placeholder="Filter the table"
            value={find}
            onInput={({ currentTarget }) => setFind(currentTarget.value)}
          />
        </label>
        <label>
          <input
            type="checkbox"
            checked={only !== undefined}
            onChange={({ currentTarget }) => setOnly(currentTarget.checked ? "dead" : "")}
          />{" "}
          only those with dead letters
        </label>
        <label>
          <input
            type="checkbox"
            checked={group !== undefined}
            onChange={({ currentTarget }) => setGroup(currentTarget.checked ? "prefix" : "")}
          />{" "}
          in groups, by topic or prefix
        </label>
        <Action
          text="Look again"
          kind="quiet-button"
          onClick={() => {
            lookAgain();
            reloadBreakers();
          }}
        />
        <span role="status">
          {countText(found.length)} of {plural(entities.length, "entity", "entities")}
        </span>
      </p>
      <Problem text={problem ?? beaconProblem} />
      <Problem
        text={
          failed.length === 0
            ? undefined
            : `${plural(failed.length, "entity", "entities")} could not be looked into. ${failed[0]}`
        }
      />
      <Waiting isLoading={live.entities === undefined && live.error === undefined} />
      <SortableTable
        label="Entities"
        columns={
          breakers === undefined ? columns : [...columns.slice(0, -3), breakerColumn, ...columns.slice(-3)]
        }
        rows={rows}
        sortedBy="-Dead letters"
        keyOf={({ name }) => name}
        onVisible={setVisible}
      />
      {unknown === 0 ? null : (
        <p>
          Only what comes into view is peeked. {plural(unknown, "entity", "entities")} not looked into yet.{" "}
          <Action text="Look into all" kind="link" onClick={lookAtAll} />
        </p>
      )}
      <p class="quiet">
        “In”, “Out” and “Change” are messages a minute, over the last minute or since the last look. Azure
        does not count what comes and goes: what comes is seen by the number of the newest message, and what
        goes follows from the counts, so that nothing is known of a queue that was found empty.
        {about.hasBeacons
          ? " “Breaker” is what running readers announce of their circuit breakers; – where none announces it."
          : " Circuit breakers are not known: start with --beacons and the queue in which readers announce themselves."}
      </p>
      <p>
        The chain: {about.serializers.map(({ name }) => name).join(" → ")}.{" "}
        {plural(about.messageTypes.length, "message type")}.
      </p>
      <p class="quiet">Searches, censuses and receipts are kept in {about.directory}.</p>
    </main>
  );
}

function Totals({ live }: { readonly live: Live }): VNode {
  const entities = live.entities ?? [];
  const totals = [
    ["active", sumOf(entities, ({ active }) => active)],
    ["scheduled", sumOf(entities, ({ scheduled }) => scheduled)],
    ["dead letters", sumOf(entities, ({ deadLetter }) => deadLetter)],
  ] as const;
  return (
    <dl class="counts">
      {totals.map(([name, count]) => (
        <div key={name} class={name === "dead letters" && count !== 0 ? "bad" : ""}>
          <dt>{name}</dt>
          <dd>{known(count)}</dd>
        </div>
      ))}
    </dl>
  );
}

const columns: readonly Column<Row>[] = [
  {
    title: "Entity",
    value: ({ name }) => name,
    cell: ({ name, isGroup }) =>
      isGroup ? (
        <a href={`#/?find=${encodeURIComponent(name)}`}>{name} …</a>
      ) : (
        <a href={href("entity", name, "messages")}>{name}</a>
      ),
  },
  {
    title: "Dead letters",
    isNumber: true,
    value: (row) => row.deadLetters,
    cell: ({ name, isGroup, deadLetters }) =>
      deadLetters === undefined || deadLetters === 0 || isGroup ? (
        known(deadLetters)
      ) : (
        <a class="bad" href={href("entity", `${name}/$DeadLetterQueue`, "dead-letters")}>
          {countText(deadLetters)} <span class="visually-hidden">dead letters of {name}</span>
        </a>
      ),
  },
  {
    title: "Readable now",
    isNumber: true,
    value: ({ health }) => health?.deadLetters?.readable,
    cell: ({ health }) => readableText(health),
  },
  {
    title: "Oldest dead letter",
    isNumber: true,
    value: ({ health }) => ageOf(health?.deadLetters?.oldestAt),
    cell: ({ health }) => <Time at={health?.deadLetters?.oldestAt} />,
  },
  { title: "Active", isNumber: true, value: (row) => row.active, cell: (row) => known(row.active) },
  {
    title: "Oldest active",
    isNumber: true,
    value: ({ health }) => ageOf(health?.oldestAt),
    cell: ({ health }) => <Time at={health?.oldestAt} />,
  },
  {
    title: "In",
    isNumber: true,
    value: ({ rates }) => rates.in,
    cell: ({ rates }) => known(rates.in),
  },
  {
    title: "Out",
    isNumber: true,
    value: ({ rates }) => rates.out,
    cell: ({ rates }) => known(rates.out),
  },
  {
    title: "Change",
    isNumber: true,
    value: ({ rates }) => rates.change,
    cell: ({ rates: { change } }) =>
      change === undefined ? "–" : `${change > 0 ? "+" : ""}${countText(change)}`,
  },
];

const breakerColumn: Column<Row> = {
  title: "Breaker",
  // Those that are open come first, and those of which nobody tells last.
  value: ({ breakers }) => (breakers.length === 0 ? undefined : openIn(breakers).length > 0 ? "a" : "b"),
  cell: ({ breakers }) => <Breaker breakers={breakers} />,
};

function Breaker({ breakers }: Pick<Row, "breakers">): VNode {
  const open = openIn(breakers);
  const instances = breakers.reduce((sum, each) => sum + each.instances, 0);
  if (instances === 0) return <span>–</span>;
  if (open.length === 0) return <span title={`${plural(instances, "instance")}`}>closed</span>;
  const [first] = open;
  return (
    <span class="bad breaker" title={open.map(circuitText).join("\n")}>
      open <Time at={first?.since} />
      {open.length > 1 ? `, ${countText(open.length)} circuits` : ""}
    </span>
  );
}

function openIn(breakers: readonly BreakerView[]): readonly OpenCircuitView[] {
  return breakers.flatMap(({ open }) => open).sort((one, two) => one.since.localeCompare(two.since));
}

function circuitText({ reader, instance, messageType, format }: OpenCircuitView): string {
  return `${reader} (${instance}) holds ${messageType ?? "untyped messages"} in ${format ?? "no format"}`;
}

/** Of a larger group, the members are looked into only when they are shown, or all are asked for. */
const maxMembers = 50;

function known(count: number | undefined): string {
  return count === undefined ? "–" : countText(count);
}

function readableText(health: HealthView | undefined): string {
  const { deadLetters } = health ?? {};
  if (deadLetters === undefined) return "–";
  const { readable, peeked, isWhole } = deadLetters;
  if (peeked === 0) return "–";
  return `${countText(readable)} of ${isWhole ? "" : "the first "}${countText(peeked)}`;
}

/** In milliseconds. */
function ageOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.now() - Date.parse(instant);
}

/** Entities of one topic, or whose names begin with the same word, in groups. */
function groupsOf(entities: readonly EntityView[]): EntityView[][] {
  const groups = new Map<string, EntityView[]>();
  for (const entity of entities) {
    const name = groupName(entity);
    groups.set(name, [...(groups.get(name) ?? []), entity]);
  }
  return [...groups.values()];
}

function groupName({ path, kind }: EntityView): string {
  return (kind === "subscription" ? path.split("/")[0] : /^[^-._/]+/.exec(path)?.[0]) ?? path;
}

function rowOf(
  members: readonly EntityView[],
  samples: readonly Sample[],
  healths: ReadonlyMap<string, Health>,
): Omit<Row, "breakers"> {
  return {
    name: nameOf(members),
    isGroup: members.length > 1,
    active: sumOf(members, ({ active }) => active),
    deadLetters: sumOf(members, ({ deadLetter }) => deadLetter),
    rates: sumOfRates(members.map(({ path }) => ratesOf(samples, path, healths.get(path)?.looks))),
    health: merged(members.map((each) => healthIn(each, healths))),
  };
}

function nameOf(members: readonly EntityView[]): string {
  const [first] = members;
  if (first === undefined) return "";
  return members.length > 1 ? groupName(first) : first.path;
}

/** What was not looked for, because the counts say that there is none, is known. */
function healthIn(
  { path, counts }: EntityView,
  healths: ReadonlyMap<string, Health>,
): HealthView | undefined {
  const view = healths.get(path)?.view;
  return counts?.deadLetter !== 0 ? view : view && { ...view, deadLetters: noDeadLetters };
}

const noDeadLetters = Object.freeze({ peeked: 0, readable: 0, isWhole: true, oldestAt: undefined });

/** Undefined as long as one of them is not known. */
function merged(healths: readonly (HealthView | undefined)[]): HealthView | undefined {
  return healths.reduce((one, two) => {
    if (one === undefined || two === undefined) return undefined;
    const [a, b] = [one.deadLetters, two.deadLetters];
    return {
      path: one.path,
      at: one.at,
      newest: undefined,
      isPartitioned: one.isPartitioned || two.isPartitioned,
      problem: one.problem ?? two.problem,
      oldestAt: earlier(one.oldestAt, two.oldestAt),
      deadLetters:
        a === undefined || b === undefined
          ? undefined
          : {
              readable: a.readable + b.readable,
              peeked: a.peeked + b.peeked,
              isWhole: a.isWhole && b.isWhole,
              oldestAt: earlier(a.oldestAt, b.oldestAt),
            },
    };
  });
}

function earlier(one: string | undefined, two: string | undefined): string | undefined {
  return [one, two].filter((each) => each !== undefined).sort()[0];
}
