import { describe, expect, it } from "vitest";
import { Journal } from "./journal.js";
import { Ledger, type LedgerOptions } from "./ledger.js";
import { absent, type Effect, type LedgerLine, sentState } from "./lines.js";

const sent: LedgerLine[] = [
  ["try", 0, "send", [["q/a", sentState]]],
  ["ok", 0, 1],
];
const completed: LedgerLine[] = [
  ["try", 20, "complete", [["q/a", absent]]],
  ["ok", 20, 21],
];
const left = (...ids: readonly string[]): LedgerLine => [
  "found",
  90,
  { things: ids.map((id): Effect => [`q/${id}`, sentState]), sequences: ids.map((id) => ["q", "1", id]) },
];
/** Locks last for ten milliseconds. */
const got = (lockedUntil: number, sequence = "1", id = "a"): LedgerLine => [
  "got",
  lockedUntil - 9,
  "q",
  id,
  { sequence, lockedAt: lockedUntil - 10, lockedUntil },
];

function violations(lines: readonly LedgerLine[], options: LedgerOptions = {}): string[] {
  const ledger = new Ledger(options);
  ledger.read(lines);
  return ledger.violations();
}

describe("the ledger, for lost messages", () => {
  it("reports acknowledged messages that are missing", () => {
    expect(violations([...sent, left()])).toEqual(["q/a is absent, and should be sent"]);
    expect(violations([...sent, left("a")])).toEqual([]);
    expect(violations(sent)).toEqual([]);
  });

  it("does not report missing messages that were not acknowledged", () => {
    expect(violations([...sent.slice(0, 1), left()])).toEqual([]);
    expect(violations([...sent.slice(0, 1), left("a")])).toEqual([]);
  });

  it("does not report missing messages that a client tried to complete", () => {
    expect(violations([...sent, ...completed.slice(0, 1), left()])).toEqual([]);
    expect(violations([...sent, ...completed.slice(0, 1), left("a")])).toEqual([]);
  });

  it("reports each lost message of many in a journal, by its id", async () => {
    const ledger = new Ledger();
    const journal = new Journal((line) => ledger.take(line));
    const things = Array.from({ length: 100 }, (_, n): Effect => [`q/${n}`, sentState]);
    await journal.attempt("send", things, async () => {});
    journal.found(things.filter(([thing]) => thing !== "q/7" && thing !== "q/60"));
    expect(ledger.violations()).toEqual([
      "q/7 is absent, and should be sent",
      "q/60 is absent, and should be sent",
    ]);
  });

  it("reports missing messages that were delivered, if delivered messages must be kept", () => {
    const delivered = [...sent.slice(0, 1), got(15), left()];
    expect(violations(delivered)).toEqual([]);
    expect(violations(delivered, { mustKeepDelivered: true })).toEqual(["q/a is absent, and should be sent"]);
  });

  it("counts pending messages: acknowledged, but not settled", () => {
    const ledger = new Ledger();
    ledger.read(sent);
    expect([...ledger.pending]).toEqual([["q/a", 1]]);
    ledger.read(completed.slice(0, 1));
    expect(ledger.pending.size).toBe(0);
    expect(ledger.settlingCount).toBe(1);
  });

  it("counts messages that were handled before their send was acknowledged", () => {
    const ledger = new Ledger();
    ledger.read([sent[0] as LedgerLine, ...completed, sent[1] as LedgerLine, left()]);
    expect(ledger.pending.size).toBe(0);
    expect(ledger.violations()).toEqual([]);
  });
});

describe("the ledger, for duplicate messages", () => {
  it("reports settled messages that are still there", () => {
    const lines: LedgerLine[] = [
      ["try", 0, "send", [["q/a", "active 0"]]],
      ["try", 1, "complete", [["q/a", absent]]],
      ["ok", 1, 2],
      ["ok", 0, 3],
      ["found", 4, { things: [["q/a", "active 0"]], sequences: [] }],
    ];
    expect(violations(lines)).toEqual(["q/a is active 0, and should be absent"]);
  });

  it("reports messages that are delivered again after their acknowledged completion", () => {
    expect(violations([...sent, got(15), ...completed])).toEqual([]);
    expect(violations([...sent, got(15), ...completed, got(40)])).toEqual(["q/a was settled and came again"]);
  });

  it("reports a message that two clients have at the same time", () => {
    const twice = [...sent, got(15), got(20), left("a")];
    expect(violations(twice)).toEqual(["q/a was locked and came to another client"]);
    expect(violations([...twice, ["release", 8, "q", "a"]])).toEqual([]);
    expect(violations(twice, { serverStarts: [8] })).toEqual([]);
    // Of two processes, in one millisecond: it may have been released before it came again.
    expect(violations([...twice, ["release", 11.002, "q", "a"]])).toEqual([]);
    expect(violations([...twice, ["release", 12, "q", "a"]])).toHaveLength(1);
    expect(violations([...sent, got(15), got(25), left("a")])).toEqual([]);
  });

  it("reports messages that are found twice, unless allowed", () => {
    const twice = [...sent, left("a", "a")];
    expect(violations(twice)).toEqual(["q/a is there twice"]);
    expect(violations(twice, { mayRepeat: (thing) => thing === "q/a" })).toEqual([]);
  });

  it("reports a message that has two sequence numbers", () => {
    expect(violations([...sent, got(15), got(60, "2"), left("a")])).toEqual([
      "q/a has the sequence numbers 1, 2",
    ]);
  });

  it("reports a sequence number that is used twice", () => {
    const lines: LedgerLine[] = [
      ["seen", "q", "5", "a"],
      ["seen", "q", "5", "b"],
    ];
    expect(violations(lines)).toEqual(["sequence number q 5 went to a and to b"]);
  });

  it("allows a number to be used again if its message was never acknowledged", () => {
    const lost: LedgerLine[] = [["try", 2, "send", [["q/b", sentState]]], got(8, "1", "b")];
    expect(violations([...sent, ...lost, got(30), ...completed])).toEqual([]);
  });

  it("reports messages that were not sent", () => {
    expect(violations([...sent, left("a", "b")])).toEqual([
      "q/b is sent, and should be absent",
      "sequence number q 1 went to a and to b",
    ]);
    expect(violations([got(15)])).toEqual(["q/a was delivered but never sent"]);
  });
});

describe("the ledger, for states and generations", () => {
  it("accepts either outcome of an operation in progress, but not a part of it", () => {
    for (const [found, count] of [
      [[], 0],
      [["q/a", "q/b"], 0],
      [["q/a"], 1],
    ] as const) {
      const effects: Effect[] = [
        ["q/a", "active 0"],
        ["q/b", "active 0"],
      ];
      const things = found.map((thing): Effect => [thing, "active 0"]);
      expect(
        violations([
          ["try", 0, "send", effects],
          ["found", 1, { things, sequences: [] }],
        ]),
      ).toHaveLength(count);
    }
  });

  it("compares entities, and reports the generation of each finding", () => {
    const ledger = new Ledger();
    ledger.read(
      [
        ["try", 0, "create", [["entity/orders", "made"]]],
        ["ok", 0, 1],
        ["try", 2, "create", [["entity/perhaps", "made"]]],
      ],
      "generation 0",
    );
    ledger.read([["found", 3, { things: [["entity/other", "made"]], sequences: [] }]], "generation 1");
    expect(ledger.violations()).toEqual([
      "generation 1: entity/other is made, and should be absent",
      "generation 1: entity/orders is absent, and should be made",
    ]);
  });

  it("prints the same lines for every script", () => {
    const ledger = new Ledger();
    ledger.read([...sent, got(15), got(30), ...completed.slice(0, 1), ["error", "timeout"], ["note", "cut"]]);
    ledger.read([left()]);
    expect(ledger.summary()).toEqual([
      "operations: send 1, complete 1 (0 acknowledged), cut 1",
      "messages: 1 delivered, 1 came again, 1 settled, 0 pending, 0 found",
      "1 comparisons, 1 operations were in progress then; errors of the clients: timeout 1",
    ]);
  });

  it("keeps what a killed process reported", () => {
    expect(violations([["violation", "s-1: 5 after 3"]])).toEqual(["s-1: 5 after 3"]);
  });
});
