import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { Message, ReceivedMessage } from "../message/message.js";
import { bodyType, defineMessage } from "./define-message.js";
import type { VersionSchemas } from "./message-definition.js";
import type { BodyOf } from "./message-type.js";

const v1 = z.object({ id: z.number(), total: z.string() });
const v2 = z.object({ id: z.number(), cents: z.number().int() });

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: v1, 2: v2 },
  upcasters: { 1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }) },
});

describe("a message type", () => {
  it("creates messages whose subject is the type", () => {
    const message = orderPlaced.message({ id: 1, cents: 250 }, { sessionId: "ada", messageId: "m1" });
    expect(message).toMatchObject({
      subject: "order-placed",
      body: { id: 1, cents: 250 },
      sessionId: "ada",
      messageId: "m1",
    });
  });

  it("finds the upcasters from every version to the current one", () => {
    const ways = orderPlaced.versions.map(({ version, upcastPath }) => [version, upcastPath]);
    expect(ways).toEqual([
      [1, [1, 2]],
      [2, []],
    ]);
  });

  it("treats messages without a version as the oldest by default", () => {
    expect(orderPlaced.unversioned).toBe(1);
    expect(
      defineMessage("a", {
        version: 2,
        schemas: { 1: v1, 2: v2 },
        upcasters: { 1: ({ id }) => ({ id, cents: 0 }) },
        unversioned: 2,
      }),
    ).toHaveProperty("unversioned", 2);
  });

  it("follows an upcaster that skips versions", () => {
    const type = defineMessage("a", {
      version: 3,
      schemas: { 1: {}, 2: {}, 3: {} },
      upcasters: { 1: { to: 3, cast: (body) => body }, 2: (body) => body },
    });
    expect(type.versions.map(({ upcastPath }) => upcastPath)).toEqual([[1, 3], [2, 3], []]);
  });

  it("lets an upcaster skip versions that were never sent", () => {
    const type = defineMessage("a", {
      version: 4,
      schemas: { 1: {}, 4: {} },
      upcasters: { 1: (body) => body },
      unused: [2, 3],
    });
    expect(type.versions[0]?.upcastPath).toEqual([1, 4]);
  });

  it("lets an upcaster skip versions that were removed", () => {
    const type = defineMessage("a", {
      version: 4,
      schemas: { 1: {}, 4: {} },
      upcasters: { 1: (body) => body },
      unused: [2],
      removed: [3],
    });
    expect(type.versions[0]?.upcastPath).toEqual([1, 4]);
    expect(type).toMatchObject({ unversioned: 1, removed: [3] });
  });

  it.each([
    ["the oldest that was removed", { version: 3, removed: [2, 1] }, 1],
    ["the oldest that was removed, above unused ones", { version: 3, unused: [1], removed: [2] }, 2],
    ["not known with only unused versions below", { version: 2, unused: [1] }, undefined],
    ["the one that unversioned names", { version: 2, unused: [1], unversioned: 2 }, 2],
    ["the one that unversioned names, without more", { version: 2, unversioned: 2 }, 2],
    ["a removed one that unversioned names", { version: 4, removed: [1, 2], unused: [3], unversioned: 2 }, 2],
    ["version 1, whatever else is removed", { version: 1 }, 1],
  ])("takes messages without a version for %s", (_, definition, unversioned) => {
    expect(defineMessage("a", definition).unversioned).toBe(unversioned);
  });

  it("needs schemas only for versions that are validated: an upcaster is enough to know one", () => {
    const type = defineMessage("a", {
      version: 3,
      schemas: { 3: {} },
      upcasters: { 1: (body) => body, 2: (body) => body },
    });
    expect(type.versions.map(({ upcastPath }) => upcastPath)).toEqual([[1, 2, 3], [2, 3], []]);
    expect(type.unversioned).toBe(1);
  });

  it("has no converter where undefined stands for one", () => {
    const downcasters = { 2: undefined };
    const type = defineMessage("a", { version: 2, removed: [1], downcasters });
    expect(type.versions).toMatchObject([{ version: 2, downcasts: [] }]);
  });

  it("can have names of up to 128 characters", () => {
    const name = "n".repeat(128);
    expect(defineMessage(name, { version: 1, aliases: [`a${name.slice(1)}`] }).name).toBe(name);
  });

  it("cannot be written as a version that its downcasters pass over", () => {
    const type = defineMessage("a", {
      version: 3,
      schemas: { 1: {}, 2: {}, 3: {} },
      upcasters: { 1: (body) => body, 2: (body) => body },
      downcasters: { 3: { to: 1, cast: (body) => body } },
    });
    expect(type.versions.map(({ downcasts }) => downcasts?.length)).toEqual([1, undefined, 0]);
  });

  it("lists the versions that its downcasters reach", () => {
    const type = defineMessage("a", {
      version: 3,
      schemas: { 1: {}, 2: {}, 3: {} },
      upcasters: { 1: (body) => body, 2: (body) => body },
      downcasters: { 3: (body) => body },
    });
    expect(type.versions.map(({ downcasts }) => downcasts?.length)).toEqual([undefined, 1, 0]);
  });
});

describe("the types of a message type", () => {
  it("come from its Standard Schema", () => {
    expectTypeOf<BodyOf<typeof orderPlaced>>().toEqualTypeOf<{ id: number; cents: number }>();
    expectTypeOf(orderPlaced.name).toEqualTypeOf<"order-placed">();
  });

  it("differ between senders and handlers when the schema transforms", () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
    const type = defineMessage("a", { version: 1, schemas: { 1: { body: schema } } });
    expectTypeOf(type.message).returns.toEqualTypeOf<Message<{ at: string }>>();
    expectTypeOf<BodyOf<typeof type>>().toEqualTypeOf<{ at: Date }>();
  });

  it("come from a type argument if there is no schema", () => {
    const type = defineMessage("a", {
      version: 1,
      schemas: { 1: { body: bodyType<{ id: bigint }>(), json: {} } },
    });
    expectTypeOf<BodyOf<typeof type>>().toEqualTypeOf<{ id: bigint }>();
    expect(bodyType()["~standard"]).toMatchObject({ version: 1, vendor: "waybill" });
    expect(bodyType()["~standard"].validate("anything")).toEqual({ value: "anything" });
    expect(type.versions[0]).toMatchObject({ check: undefined, schemas: { json: {} } });
  });

  it("come from what a validate function returns", () => {
    const type = defineMessage("a", {
      version: 1,
      schemas: { 1: (value: unknown) => ({ id: Number(value) }) },
    });
    expectTypeOf<BodyOf<typeof type>>().toEqualTypeOf<{ id: number }>();
  });

  it("give each converter the body of its version", () => {
    defineMessage("a", {
      version: 2,
      schemas: { 1: v1, 2: { body: v2 } },
      upcasters: {
        1(body) {
          expectTypeOf(body).toEqualTypeOf<{ id: number; total: string }>();
          return { id: body.id, cents: 0 };
        },
      },
      downcasters: {
        2(body) {
          expectTypeOf(body).toEqualTypeOf<{ id: number; cents: number }>();
          return { id: body.id, total: "0" };
        },
      },
    });
  });

  it("give upcasters the output of the schema, and downcasters its input", () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
    defineMessage("a", {
      version: 2,
      schemas: { 1: schema, 2: schema },
      upcasters: {
        1(body) {
          expectTypeOf(body).toEqualTypeOf<{ at: Date }>();
          return { at: body.at.toISOString() };
        },
      },
      downcasters: {
        2(body) {
          expectTypeOf(body).toEqualTypeOf<{ at: string }>();
          return body;
        },
      },
    });
  });

  it("narrow a received message", () => {
    const received = { deserialization: { messageType: "order-placed" } } as ReceivedMessage;
    expect(orderPlaced.is(received)).toBe(true);
    if (orderPlaced.is(received)) expectTypeOf(received.body).toEqualTypeOf<{ id: number; cents: number }>();
  });
});

describe("an inconsistent definition is refused with the reason", () => {
  const up = (body: unknown) => body;
  const refused: [string, Parameters<typeof defineMessage>[1], string][] = [
    [
      "a version without an upcaster",
      { version: 2, schemas: { 1: {}, 2: {} } },
      "version 1 has no upcaster, so its messages could not be read; add upcasters[1]",
    ],
    [
      "a dead end",
      { version: 3, schemas: { 1: {}, 2: {}, 3: {} }, upcasters: { 1: up } },
      "the way up 1 → 2 is a dead end; add upcasters[2]",
    ],
    [
      "a cycle",
      { version: 3, schemas: { 1: {}, 2: {}, 3: {} }, upcasters: { 1: up, 2: { to: 1, cast: up } } },
      "its upcasters form a cycle: 1 → 2 → 1",
    ],
    [
      "a gap",
      { version: 3, schemas: { 1: {}, 3: {} }, upcasters: { 1: up } },
      "there is a gap: nothing is known of version 2",
    ],
    [
      "a beginning above version 1 that says nothing of the versions below",
      { version: 2, schemas: { 2: {} } },
      "it begins at version 2, and nothing says what came before, so a message without a version could be read as what it is not; " +
        "list the versions below in removed if they were ever sent, or in unused, or set unversioned.",
    ],
    [
      "a beginning that says something of only some versions below",
      { version: 4, removed: [1, 1], unused: [3] },
      "it begins at version 4, and nothing says what came before",
    ],
    [
      "an upcaster for a version above the current one",
      { version: 1, upcasters: { 1: up } },
      "version 1 is the current one and has an upcaster all the same",
    ],
    [
      "an upcaster to a version that does not exist",
      { version: 2, schemas: { 1: {}, 2: {} }, upcasters: { 1: { to: 9, cast: up } } },
      "the upcaster of version 1 leads to 9, which is not among its versions",
    ],
    [
      "an upcaster of the current version",
      { version: 2, schemas: { 1: {}, 2: {} }, upcasters: { 1: up, 2: up } },
      "version 2 is the current one and has an upcaster all the same",
    ],
    [
      "a downcaster to a newer version",
      {
        version: 2,
        schemas: { 1: {}, 2: {} },
        upcasters: { 1: up },
        downcasters: { 2: { to: 2, cast: up } },
      },
      "the downcaster of version 2 leads to 2, which is no older version",
    ],
  ];
  it.each(refused)("%s", (_, definition, text) => {
    expect(errorOf(() => defineMessage("order-placed", definition))).toMatchObject({
      code: "configuration-invalid",
      text: expect.stringContaining(`The message type "order-placed" is not sound: ${text}`),
    });
  });

  const mistaken: [string, () => unknown, string][] = [
    ["no name", () => defineMessage("", { version: 1 }), "must be a text of 1 to 128 characters"],
    [
      "an unknown option",
      () => defineMessage("a", { version: 1, upcaster: {} } as never),
      'defineMessage("a"): there is no option "upcaster"',
    ],
    ["a long name", () => defineMessage("n".repeat(129), { version: 1 }), "must be a text of 1 to 128"],
    [
      "an empty alias",
      () => defineMessage("a", { version: 1, aliases: [""] }),
      'The name of an alias of "a" must be a text of 1 to 128 characters',
    ],
    [
      "a version as text",
      () => defineMessage("a", { version: "1" as never }),
      'defineMessage("a"): versions are integers from 1, not a string',
    ],
    ["version 0", () => defineMessage("a", { version: 0 }), "versions are integers from 1, not 0"],
    [
      "a version that is not a number",
      () => defineMessage("a", { version: 1, schemas: { x: {} } as never }),
      "not NaN",
    ],
    [
      "a schema of a newer version",
      () => defineMessage("a", { version: 1 as number, schemas: { 1: {}, 2: {} } }),
      "version 2 is newer",
    ],
    [
      "an invalid schema",
      () => defineMessage("a", { version: 1, schemas: { 1: 5 as never } }),
      "must be a schema",
    ],
    [
      "an invalid converter",
      () => defineMessage("a", { version: 2, schemas: { 1: {}, 2: {} }, upcasters: { 1: {} as never } }),
      "must be a function",
    ],
    [
      "a removed version that is there",
      () => defineMessage("a", { version: 1, removed: [1] }),
      "version 1 is in removed, and is also a version of it or in unused",
    ],
    [
      "a removed version that was never used",
      () => defineMessage("a", { version: 2, removed: [1], unused: [1] }),
      "version 1 is in removed, and is also a version of it or in unused",
    ],
    [
      "a removed version that is no integer",
      () => defineMessage("a", { version: 2, removed: [0.5] }),
      "versions are integers from 1, not 0.5",
    ],
    [
      "an unused unversioned",
      () => defineMessage("a", { version: 2, unused: [1], unversioned: 1 }),
      "unversioned names 1, which is no version of it",
    ],
    [
      "an invalid unversioned",
      () => defineMessage("a", { version: 1, unversioned: 4 }),
      "unversioned names 4",
    ],
  ];
  it.each(mistaken)("%s is a TypeError", (_, define, text) => {
    expect(define).toThrow(TypeError);
    expect(define).toThrow(text);
  });
});

describe("any set of upcasters", () => {
  it("is refused, or converts every version to the current one", () => {
    const upcasters = fc.dictionary(
      fc.integer({ min: 1, max: 6 }).map(String),
      fc.integer({ min: 1, max: 7 }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), upcasters, (version, targets) => {
        const schemas: Record<number, VersionSchemas> = {};
        for (let each = 1; each <= version; each++) schemas[each] = {};
        const converters = Object.fromEntries(
          Object.entries(targets).map(([from, to]) => [from, { to, cast: (body: unknown) => body }]),
        );
        const define = () => defineMessage("a", { version, schemas, upcasters: converters as never });
        if (!reachesCurrent(version, targets)) {
          expect(define).toThrow(/is not sound|is newer than/);
          return;
        }
        for (const { version: from, upcastPath } of define().versions) {
          if (from === version) expect(upcastPath).toEqual([]);
          else expect([upcastPath[0], upcastPath.at(-1)]).toEqual([from, version]);
        }
      }),
    );
  });
});

describe("any set of versions", () => {
  it("is refused, or says of each version up to the current one what became of it", () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), some, some, some, (version, older, unused, removed) => {
        const there = [version, ...older.filter((each) => each < version)];
        const gone = removed.filter((each) => !there.includes(each) && !unused.includes(each));
        const upcasters = Object.fromEntries(
          older.filter((each) => each < version).map((each) => [each, (body: unknown) => body]),
        );
        const define = () => defineMessage("a", { version, upcasters, unused, removed: gone } as never);
        const known = new Set([...there, ...unused, ...gone]);
        const isComplete = Array.from({ length: version }, (_, i) => i + 1).every((each) => known.has(each));
        if (!isComplete) {
          expect(define).toThrow(/is not sound: (there is a gap|it begins)/);
          return;
        }
        const oldest = Math.min(...there);
        const goneBelow = gone.filter((each) => each < oldest);
        const expected = goneBelow.length > 0 ? Math.min(...goneBelow) : oldest;
        expect(define().unversioned).toBe(expected === 1 || goneBelow.length > 0 ? expected : undefined);
      }),
    );
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** Whether the targets lead from each of 1…version to `version`, and from no other version. */
function reachesCurrent(version: number, targets: Readonly<Record<string, number>>): boolean {
  if (Object.entries(targets).some(([from, to]) => Number(from) >= version || to > version)) return false;
  for (let start = 1; start < version; start++) {
    let at: number | undefined = start;
    for (let hop = 0; hop < version && at !== version; hop++) at = at === undefined ? undefined : targets[at];
    if (at !== version) return false;
  }
  return true;
}
