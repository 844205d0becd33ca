import type { EntityView } from "../data/types.js";

/** How many messages come and go in a minute; undefined where that is not known. */
export interface Rates {
  readonly in: number | undefined;
  readonly out: number | undefined;
  /** By how much the number of active messages changes. */
  readonly change: number | undefined;
}

/** The newest message of an entity at one moment, and how many there were. */
export interface Look {
  /** In milliseconds. */
  readonly at: number;
  readonly newest: bigint;
  /** In every state; undefined where the broker does not count them. */
  readonly waiting: number | undefined;
}

/** The counts of the entities at one moment. */
export interface Counted {
  /** In milliseconds. */
  readonly at: number;
  readonly byPath: ReadonlyMap<string, Counts>;
}

type Counts = NonNullable<EntityView["counts"]>;

/** The rates of an entity over the last minute: what arrived as the broker counts it or, between two looks, by the numbers of the newest messages. */
export function ratesOf(
  samples: readonly Counted[],
  path: string,
  looks: readonly [Look, Look] | undefined,
): Rates {
  const last = samples.at(-1);
  const first = samples.find(({ at }) => last !== undefined && at >= last.at - 60_000);
  const [before, after] = [first?.byPath.get(path), last?.byPath.get(path)];
  const isKnown = first !== undefined && last !== undefined && first !== last;
  if (!isKnown || before === undefined || after === undefined)
    return { ...ofLooks(looks), change: undefined };
  const perMinute = (count: number) => Math.round((count * 60_000) / (last.at - first.at));
  const change = perMinute(after.active - before.active);
  if (before.arrived === undefined || after.arrived === undefined) return { ...ofLooks(looks), change };
  const arrived = after.arrived - before.arrived;
  const left = arrived - (held(after) - held(before));
  // A broker that was started again counts from the beginning.
  if (arrived < 0 || left < 0) return { in: undefined, out: undefined, change };
  return { in: perMinute(arrived), out: perMinute(left), change };
}

/** The sum of the rates of several entities; undefined as long as one of them is not known. */
export function sumOfRates(rates: readonly Rates[]): Rates {
  const sum = (of: (rates: Rates) => number | undefined) =>
    rates.map(of).reduce((one, two) => (one === undefined || two === undefined ? undefined : one + two));
  return { in: sum((each) => each.in), out: sum((each) => each.out), change: sum(({ change }) => change) };
}

/** Every message, in every state. */
export function waitingIn({ active, deferred = 0, scheduled }: Counts): number {
  return active + deferred + scheduled;
}

/** What is or was active: a deferred message has arrived, and has not left. */
function held({ active, deferred = 0 }: Counts): number {
  return active + deferred;
}

function ofLooks(looks: readonly [Look, Look] | undefined): Pick<Rates, "in" | "out"> {
  if (looks === undefined) return { in: undefined, out: undefined };
  const [one, two] = looks;
  const perMinute = (count: number) => Math.round((count * 60_000) / (two.at - one.at));
  const arrived = Number(two.newest - one.newest);
  if (arrived < 0) return { in: undefined, out: undefined };
  const { waiting: before } = one;
  const { waiting: after } = two;
  const left = before === undefined || after === undefined ? undefined : arrived - (after - before);
  // Counts lag behind: what they contradict is not known.
  return { in: perMinute(arrived), out: left === undefined || left < 0 ? undefined : perMinute(left) };
}
