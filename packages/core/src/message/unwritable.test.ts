import { describe, expect, it } from "vitest";
import { unwritableKind, veiledKind } from "./unwritable.js";

class Ping {}
class Money {
  readonly #amount = 12;
  get amount(): number {
    return this.#amount;
  }
}
class Cents extends Money {}
class Tagged {
  readonly amount = 12;
  get [Symbol.toStringTag](): string {
    return "Tagged";
  }
}

describe("an object whose content is not in its properties", () => {
  it.each<[string, object]>([
    ["Map", new Map([["a", 1]])],
    ["Map", new Proxy(new Map(), {})],
    ["Promise", Promise.resolve(1)],
    ["Float64Array", new Float64Array(2)],
    ["Error", Object.assign(new Error("lost"), { own: 1 })],
    ["Blob", Object.assign(new Blob(["text"]), { own: 1 })],
    ["Headers", new Headers({ a: "1" })],
    ["URLSearchParams", new URLSearchParams("a=1")],
    ["ReadableStream", new ReadableStream()],
    ["AbortSignal", new AbortController().signal],
    ["Intl.DateTimeFormat", new Intl.DateTimeFormat("en")],
    ["Intl.ListFormat", new Intl.ListFormat("en")],
    ["Intl", Intl],
    ["Math", Math],
    ["Array Iterator", [1, 2].values()],
    ["Generator", (function* () {})()],
  ])("is named: %s", (kind, value) => {
    expect(unwritableKind(value)).toBe(kind);
  });

  it("is not a plain object, array, date or instance of a class, empty or not", () => {
    for (const value of [{}, { a: 1 }, [], Object.create(null), new Date(), new Ping(), new Tagged()])
      expect(unwritableKind(value)).toBeUndefined();
  });
});

describe("an instance of a class that keeps its content private", () => {
  it("is named by its class", () => {
    expect(veiledKind(new Money())).toBe("Money");
    expect(veiledKind(new Cents())).toBe("Cents");
  });

  it("has accessors but no own properties", () => {
    for (const value of [
      {},
      [],
      new Ping(),
      new Tagged(),
      Object.create(null),
      Object.assign(new Money(), { a: 1 }),
    ])
      expect(veiledKind(value)).toBeUndefined();
  });
});
