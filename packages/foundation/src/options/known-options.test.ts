import { describe, expect, it } from "vitest";
import { type OptionNames, requireKnownOptions, withDefaults } from "./known-options.js";

interface BoxOptions {
  readonly maxConcurrentCalls?: number;
  readonly receiveMode?: string;
  readonly circuitBreaker?: object | false;
}

const names: OptionNames<BoxOptions> = { maxConcurrentCalls: true, receiveMode: true, circuitBreaker: true };
const check = (options: unknown) => () => requireKnownOptions("box", options as BoxOptions, names);

describe("requireKnownOptions", () => {
  it("accepts every known option, and undefined options", () => {
    expect(check({})).not.toThrow();
    expect(
      check({ maxConcurrentCalls: 1, receiveMode: "x", circuitBreaker: false, other: undefined }),
    ).not.toThrow();
  });

  const misspelt = [
    ["maxConcurentCalls", "maxConcurrentCalls"],
    ["receivemode", "receiveMode"],
    ["recieveMode", "receiveMode"],
    ["maxConcurrent", "maxConcurrentCalls"],
    ["circuitBreakerOptions", "circuitBreaker"],
  ];
  it.each(misspelt)("refuses %s and suggests the most similar name", (name, nearest) => {
    expect(check({ [name as string]: 1 })).toThrow(
      new TypeError(`box: there is no option "${name}"; did you mean "${nearest}"?`),
    );
  });

  it("names all options if none is similar", () => {
    expect(check({ colour: 1 })).toThrow(
      'box: there is no option "colour"; it has circuitBreaker, maxConcurrentCalls, receiveMode.',
    );
    expect(check({ ["x".repeat(5000)]: 1 })).toThrow(/^box: there is no option "x{128}…"; it has/);
  });

  it("names the replacement of an option of other libraries", () => {
    const elsewhere = { identifier: "give it to the ServiceBusClient" };
    expect(() => requireKnownOptions<object>("box", { identifier: "a" }, names, elsewhere)).toThrow(
      'box: there is no option "identifier": give it to the ServiceBusClient.',
    );
  });

  it("does not accept names that every object inherits", () => {
    expect(check({ constructor: 1 })).toThrow('there is no option "constructor"');
    expect(check(JSON.parse('{"__proto__": 1}'))).toThrow('there is no option "__proto__"');
  });

  it("refuses options that are not an object", () => {
    expect(check("json")).toThrow("box: options must be an object; got a string.");
    expect(check(null)).toThrow("got null");
    expect(check([])).toThrow("got an array");
    expect(check(requireKnownOptions)).toThrow('got the function "requireKnownOptions"');
  });
});

describe("withDefaults", () => {
  const defaults = { maxConcurrentCalls: 1, receiveMode: undefined, circuitBreaker: false } as const;
  const box = (options: unknown) => withDefaults("box", options as BoxOptions, defaults);

  it("fills in what is left out, undefined or null", () => {
    expect(box({ receiveMode: "x" })).toEqual({ ...defaults, receiveMode: "x" });
    expect(box({ maxConcurrentCalls: undefined, circuitBreaker: null })).toEqual(defaults);
    expect(box({ maxConcurrentCalls: 0, receiveMode: "" })).toEqual({
      ...defaults,
      maxConcurrentCalls: 0,
      receiveMode: "",
    });
  });

  it("refuses options that there are not", () => {
    expect(() => box({ recieveMode: "x" })).toThrow('there is no option "recieveMode"');
    expect(() => box(1)).toThrow("box: options must be an object; got a number.");
  });
});
