import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { compileOnce } from "./compile-once.js";

/** Compiles to a new object each time. */
function counting(forget?: (schema: unknown) => void) {
  const compile = vi.fn((schema: unknown) => ({ schema }));
  return { compile, compiled: compileOnce(compile, forget) };
}

describe("compileOnce", () => {
  it("compiles objects of the same content once", () => {
    const { compile, compiled } = counting();
    const made = () => ({ type: "object", properties: { paid: { type: "boolean" } }, title: undefined });
    const first = compiled(made());
    for (let i = 0; i < 100; i++) expect(compiled(made())).toBe(first);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("does not confuse schemas", () => {
    const { compiled } = counting();
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(compiled(one) === compiled(other)).toBe(isSame);
      }),
    );
  });

  it("does not confuse a string with the object of the same JSON", () => {
    const { compiled } = counting();
    const schema = { type: "string" };
    for (const text of [JSON.stringify(schema), `object ${JSON.stringify(schema)}x`])
      expect(compiled(text)).not.toBe(compiled(schema));
  });

  it.each([
    ["functions", () => ({ keyword: () => {} })],
    ["dates", () => ({ after: new Date(0) })],
    ["an object with toJSON", () => ({ toJSON: () => ({}) })],
    ["numbers that JSON lacks", () => ({ maximum: Number.POSITIVE_INFINITY })],
    ["holes", () => ({ enum: [undefined] })],
    ["64-bit integers", () => ({ const: 1n })],
    ["themselves", () => containingItself()],
  ])("identifies schemas that contain %s by their identity", (_, make) => {
    const { compile, compiled } = counting();
    const schema = make();
    expect(compiled(schema)).toBe(compiled(schema));
    expect(compiled(make())).not.toBe(compiled(schema));
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it("keeps a thousand, reports that it drops the oldest, and still finds objects that exist", () => {
    const forgotten: unknown[] = [];
    const { compile, compiled } = counting((schema) => forgotten.push(schema));
    const lasting = { const: -1 };
    const first = compiled(lasting);
    for (let i = 0; i < 3_000; i++) compiled({ const: i });
    expect(forgotten).toHaveLength(2_001);
    expect(forgotten.slice(0, 2)).toEqual([{ const: -1 }, { const: 0 }]);
    expect(compiled(lasting)).toBe(first);
    expect(compile).toHaveBeenCalledTimes(3_001);
  });

  it("compiles a schema again that failed", () => {
    const compiled = compileOnce((schema: { readonly isBroken: boolean }) => {
      if (schema.isBroken) throw new TypeError("broken");
      return true;
    });
    for (let i = 0; i < 2; i++) expect(() => compiled({ isBroken: true })).toThrow("broken");
    expect(compiled({ isBroken: false })).toBe(true);
  });
});

function containingItself(): object {
  const schema: Record<string, unknown> = {};
  schema.items = schema;
  return schema;
}
