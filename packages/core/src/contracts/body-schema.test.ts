import { describe, expect, it, vi } from "vitest";
import { type BodyCheck, compileValidator, resolveBodySchemas } from "./body-schema.js";
import type { SerializerContext } from "./serializer.js";

const accept: BodyCheck = (value) => ({ isValid: true, value });

describe("resolveBodySchemas", () => {
  it("checks nothing when no schema is given", () => {
    expect(resolveBodySchemas({}, () => accept).checkFor(message("order"))).toBeUndefined();
  });

  it("prefers the schema of the message type's definition to its own", () => {
    const { checkFor } = resolveBodySchemas({ schema: "own" }, (schema) => named(schema));
    const check = checkFor({ ...message("order"), schema: "defined" });
    expect(check?.(0)).toEqual({ isValid: false, text: "defined" });
  });

  it("compiles a definition's schema in advance, and names the message type if that fails", () => {
    const compile = vi.fn((schema: string) => {
      if (schema === "broken") throw new TypeError("no such keyword");
      return accept;
    });
    const schemas = resolveBodySchemas({}, compile);
    schemas.compileSchema("defined", '"order" version 1');
    schemas.checkFor({ ...message("order"), schema: "defined" });
    expect(compile).toHaveBeenCalledTimes(1);
    expect(() => schemas.compileSchema("broken", '"order" version 2')).toThrow(
      new TypeError('The schema of "order" version 2 does not compile: no such keyword'),
    );
  });

  it("compiles the given schemas immediately, each only once", () => {
    const compile = vi.fn(() => accept);
    resolveBodySchemas({ schema: "a", schemas: { one: "a", two: "b" } }, compile);
    expect(compile.mock.calls).toEqual([["a"], ["b"]]);
  });

  it("falls back to the schema for message types without their own", () => {
    const { checkFor } = resolveBodySchemas({ schema: "rest", schemas: { order: "order" } }, (schema) =>
      named(schema),
    );
    expect(checkFor(message("order"))?.(0)).toEqual({ isValid: false, text: "order" });
    expect(checkFor(message("note"))?.(0)).toEqual({ isValid: false, text: "rest" });
    expect(checkFor(message(undefined))?.(0)).toEqual({ isValid: false, text: "rest" });
  });

  it("does not confuse message types with inherited members of objects", () => {
    const { checkFor } = resolveBodySchemas({ schemas: { order: "order" } }, () => accept);
    expect(checkFor(message("toString"))).toBeUndefined();
  });

  it("lets a function choose the schema", () => {
    const schemas = ({ messageType }: SerializerContext) => (messageType === "order" ? "order" : undefined);
    const { checkFor } = resolveBodySchemas({ schemas }, (schema) => named(schema));
    expect(checkFor(message("order"))?.(0)).toEqual({ isValid: false, text: "order" });
    expect(checkFor(message("note"))).toBeUndefined();
  });
});

describe("compileValidator", () => {
  it("reports the path of a Standard Schema's first issue without its message", () => {
    const check = compileValidator({
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => ({ issues: [{ message: "got hunter2", path: ["a/b", { key: 0 }] }] }),
      },
    });
    expect(check(1)).toEqual({ isValid: false, text: 'The body breaks its schema at "/a~1b/0".' });
  });

  it("refuses schemas that return a promise", () => {
    expect(() => compileValidator(async () => 1)(1)).toThrow("must be synchronous");
  });

  it("keeps the value when a function returns nothing", () => {
    expect(compileValidator(() => undefined)(1)).toEqual({ isValid: true, value: 1 });
  });

  it("throws a TypeError for what is not a schema", () => {
    expect(() => compileValidator({} as never)).toThrow(TypeError);
  });
});

function named(text: string): BodyCheck {
  return () => ({ isValid: false, text });
}

function message(messageType: string | undefined): SerializerContext {
  return {
    messageType,
    contentType: undefined,
    mediaType: undefined,
    applicationProperties: {},
    abortSignal: undefined,
  };
}
