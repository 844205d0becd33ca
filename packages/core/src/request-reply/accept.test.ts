import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Serializer } from "../contracts/serializer.js";
import { createChain } from "../pipeline/chain.js";
import { acceptProperty, FormatNegotiation, readableTypes } from "./accept.js";

const chain = createChain([
  serializer("msgpack", "application/vnd.msgpack", "application/msgpack"),
  serializer("json", "application/json", "text/json", "+json"),
]);
const negotiation = new FormatNegotiation(chain);
const main = { contentType: undefined };

describe("the format for a reply", () => {
  it.each<[accept: unknown, contentType: string | undefined]>([
    ["application/json", "application/json"],
    ["Application/JSON; charset=utf-8", "application/json"],
    ["application/json, application/vnd.msgpack;q=0.5", "application/json"],
    ["application/*, application/vnd.msgpack;q=0", "application/json"],
    ["application/msgpack", "application/msgpack"],
    ["application/problem+json", "application/problem+json"],
    ["application/xml;q=1, application/json;q=0.001", "application/json"],
    ["*/*;q=0.1, text/json;q=0.2", "text/json"],
  ])("for %j is %s", (accept, contentType) => {
    expect(choose(accept)).toEqual({ contentType });
  });

  it.each([
    undefined,
    null,
    1,
    "*/*",
    "application/*",
    "application/json, application/vnd.msgpack",
    ",;nonsense,q=1",
    "application/json;q=2",
    "",
    "text/xml,".repeat(500),
  ])("for %j is the content type of the main serializer", (accept) => {
    expect(choose(accept)).toEqual(main);
  });

  it.each(["application/xml", "text/*", "application/json;q=0", "*/*;q=0"])(
    "for %j is undefined",
    (accept) => {
      expect(choose(accept)).toBeUndefined();
    },
  );

  it("is the same for a second call", () => {
    const again = new FormatNegotiation(chain);
    const accept = (number: number) => ({
      applicationProperties: { [acceptProperty]: `application/json;number=${number % 150}` },
    });
    for (let number = 0; number < 400; number++) {
      expect(again.choose(accept(number))).toEqual({ contentType: "application/json" });
    }
  });

  it("is always one that the request accepts", () => {
    const range = fc.constantFrom(
      ...["application/json", "text/json", "application/*", "*/*", "a/b+json", ""],
    );
    const quality = fc.constantFrom("", ";q=0", ";q=0.5", ";q=1", ";q=x", ";Q=0.3");
    const list = fc
      .array(fc.oneof(fc.tuple(range, quality), fc.tuple(fc.string(), quality)), { maxLength: 6 })
      .map((members) => members.map((member) => member.join("")).join(","));
    fc.assert(
      fc.property(list, (accept) => {
        const format = choose(accept);
        if (format === undefined) return;
        const contentType = format.contentType ?? "application/vnd.msgpack";
        expect(negotiation.accepts({ [acceptProperty]: accept }, contentType)).toBe(true);
      }),
    );
  });
});

describe("the format for a reply to a request that does not say what it accepts", () => {
  const choose = (contentType?: string, reader?: string, accept?: string) =>
    negotiation.choose({
      applicationProperties: accept === undefined ? {} : { [acceptProperty]: accept },
      contentType,
      deserialization: reader === undefined ? undefined : { serializer: reader },
    });

  it("is that of the request, by its content type or by how it was read", () => {
    expect(choose("application/json; charset=utf-8", "json")).toEqual({ contentType: "application/json" });
    expect(choose("text/json", "json")).toEqual({ contentType: "text/json" });
    expect(choose(undefined, "json")).toEqual({ contentType: "application/json" });
    expect(choose("text/plain", "json")).toEqual({ contentType: "application/json" });
    expect(choose("application/json", undefined)).toEqual({ contentType: "application/json" });
    expect(choose("application/json", "json", ",;nonsense")).toEqual({ contentType: "application/json" });
  });

  it("is that of the main serializer for its own format, and for one that the client cannot write", () => {
    expect(choose("application/vnd.msgpack", "msgpack")).toEqual(main);
    expect(choose("application/xml")).toEqual(main);
    expect(choose()).toEqual(main);
  });

  it("is an accepted one if the request says what it accepts", () => {
    expect(choose("application/json", "json", "application/vnd.msgpack")).toEqual(main);
  });
});

describe("accepts", () => {
  it.each<[string, string, boolean]>([
    ["application/json", "application/json; charset=utf-8", true],
    ["application/json", "application/msgpack", false],
    ["application/*;q=0.1, application/json;q=0", "application/json", false],
    ["*/*", "not a media type", false],
  ])("%s: %s is %s", (accept, contentType, isAccepted) => {
    expect(negotiation.accepts({ [acceptProperty]: accept }, contentType)).toBe(isAccepted);
  });
});

it("lists the first media type of each serializer", () => {
  expect(readableTypes(chain)).toBe("application/vnd.msgpack, application/json");
});

function choose(accept: unknown) {
  const applicationProperties = accept === undefined ? {} : { [acceptProperty]: accept as string };
  return negotiation.choose({ applicationProperties });
}

function serializer(name: string, ...mediaTypes: string[]): Serializer {
  return {
    name,
    mediaTypes,
    detection: "label",
    serialize: () => ({ bytes: new Uint8Array() }),
    deserialize: () => undefined,
  };
}
