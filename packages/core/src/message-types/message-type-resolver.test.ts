import { describe, expect, it } from "vitest";
import type { EncodedMessage } from "../message/message.js";
import { propertyResolver } from "./message-type-resolver.js";

const resolver = propertyResolver();
const body = new Uint8Array(0);
const isKnown = (name: string) => name === "order";

function identify(
  message: Omit<EncodedMessage, "body">,
  known: ((name: string) => boolean) | undefined = isKnown,
) {
  return resolver.identify({ ...message, body }, known);
}

function versionOf(messageVersion: unknown): number | undefined {
  return identify({ subject: "order", applicationProperties: { messageVersion } as never })?.version;
}

describe("the version of a message", () => {
  it.each([
    [1, 1],
    [2 ** 53 - 1, 2 ** 53 - 1],
    [7n, 7],
    ["1", 1],
    ["10", 10],
    ["999999999999999", 999_999_999_999_999],
    [undefined, undefined],
    [null, undefined],
  ])("is %s as a property", (given, version) => {
    expect(versionOf(given)).toBe(version);
  });

  it.each([
    0,
    -1,
    1.5,
    2 ** 53,
    Number.NaN,
    0n,
    -1n,
    2n ** 53n,
    "",
    "0",
    "01",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1",
    " 1",
    "1 ",
    "1\n",
    "v1",
    "1000000000000000",
    "one",
    true,
    new Date(1),
    Uint8Array.of(1),
  ])("is malformed as the property %s", (given) => {
    expect(() => versionOf(given)).toThrow(
      'The application property "messageVersion" must be a positive integer.',
    );
  });

  it("is not looked for in a message without a type", () => {
    expect(identify({ applicationProperties: { messageVersion: "one" } })).toBeUndefined();
  });

  it("is looked for among known types by its name alone, whatever the property holds", () => {
    const asked: unknown[] = [];
    const isKnown = (name: string) => asked.push(name) < 0;
    const message = { body, subject: "order", applicationProperties: { type: 7 } };
    expect(propertyResolver().identify(message, isKnown)).toEqual({
      messageType: "order",
      version: undefined,
    });
    expect(asked).toEqual(["order"]);
  });

  it("can be in another property", () => {
    const other = propertyResolver({ versionProperty: "v" });
    const message = { body, subject: "order", applicationProperties: { v: 3, messageVersion: 1 } };
    expect(other.identify(message)).toEqual({ messageType: "order", version: 3 });
    expect(() => other.identify({ ...message, applicationProperties: { v: 0 } })).toThrow('property "v"');
  });
});

describe("the type of a message", () => {
  it.each<[string, Omit<EncodedMessage, "body">, string | undefined]>([
    ["a known subject", { subject: "order", applicationProperties: { type: "other" } }, "order"],
    ["a known type", { subject: "other", applicationProperties: { type: "order" } }, "order"],
    ["the subject, if both are unknown", { subject: "a", applicationProperties: { type: "b" } }, "a"],
    ["the subject, without a type", { subject: "a" }, "a"],
    ["the subject, if the type is no text", { subject: "a", applicationProperties: { type: 1 } }, "a"],
    ["the subject, if the type is empty", { subject: "a", applicationProperties: { type: "" } }, "a"],
    ["no empty subject", { subject: "" }, undefined],
    ["no subject that is no text", { subject: 5 as never }, undefined],
    ["no subject that is a list of a name", { subject: ["order"] as never }, undefined],
    ["no unknown type without a subject", { applicationProperties: { type: "b" } }, undefined],
    ["a known type without a subject", { applicationProperties: { type: "order" } }, "order"],
    [
      "a known type beside an empty subject",
      { subject: "", applicationProperties: { type: "order" } },
      "order",
    ],
    ["nothing", {}, undefined],
  ])("is %s", (_, message, messageType) => {
    expect(identify(message)?.messageType).toBe(messageType);
  });

  it.each<[string, Omit<EncodedMessage, "body">, string | undefined]>([
    ["the subject", { subject: "a", applicationProperties: { type: "b" } }, "a"],
    ["the type without a subject", { applicationProperties: { type: "b" } }, "b"],
    ["the type beside an empty subject", { subject: "", applicationProperties: { type: "b" } }, "b"],
    ["no type that is no text", { applicationProperties: { type: true } }, undefined],
    ["no empty type", { applicationProperties: { type: "" } }, undefined],
  ])("is %s, if it is not said which are known", (_, message, messageType) => {
    expect(resolver.identify({ ...message, body })?.messageType).toBe(messageType);
  });

  it("does not come from a property that the object inherits", () => {
    const applicationProperties = Object.create({ type: "order" }) as Record<string, string>;
    expect(identify({ applicationProperties })).toBeUndefined();
  });

  it("is only in the property that is named", () => {
    const named = propertyResolver({ typeProperty: "kind" });
    const message = { body, subject: "a", applicationProperties: { kind: "b", type: "c" } };
    expect(named.identify(message, isKnown)).toEqual({ messageType: "b", version: undefined });
    for (const kind of ["", 1, undefined]) {
      const other = { ...message, applicationProperties: { kind } as never };
      expect(named.identify(other, isKnown)).toBeUndefined();
    }
    expect(named.identify({ body, subject: "a" }, isKnown)).toBeUndefined();
  });
});

describe("stamping a message", () => {
  const identity = { messageType: "order", version: 2 };

  it("sets subject and version, and keeps its properties", () => {
    expect(resolver.stamp(identity, { applicationProperties: { tenant: "a" } })).toEqual({
      subject: "order",
      applicationProperties: { tenant: "a", messageVersion: 2 },
    });
    expect(resolver.stamp({ ...identity, version: undefined }, {})).toStrictEqual({
      subject: "order",
      applicationProperties: {},
    });
  });

  it("sets the properties that are named, and then no subject", () => {
    const named = propertyResolver({ typeProperty: "kind", versionProperty: "v" });
    expect(named.stamp(identity, {})).toEqual({ applicationProperties: { kind: "order", v: 2 } });
  });
});
