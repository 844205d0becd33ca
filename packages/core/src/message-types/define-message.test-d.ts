import { z } from "zod";
import { bodyType, defineMessage } from "./define-message.js";

const v1 = bodyType<{ id: number; total: string }>();
const v2 = bodyType<{ id: number; cents: number }>();
const v3 = bodyType<{ orderId: string; cents: number }>();
const toV2 = ({ id, total }: { id: number; total: string }) => ({ id, cents: Number(total) * 100 });

// What fits compiles: step by step, past a version, past versions that were never sent, later, in the schemas of a format beside the body.
export const fitting = [
  defineMessage("one", { version: 1, schemas: { 1: v1 } }),
  defineMessage("two", { version: 2, schemas: { 1: v1, 2: v2 }, upcasters: { 1: toV2 } }),
  defineMessage("three", {
    version: 3,
    schemas: { 1: { body: v1, json: {} }, 2: { body: v2, json: {} }, 3: { body: v3 } },
    upcasters: {
      1: ({ id, total }) => ({ id, cents: Number(total) * 100 }),
      2: async ({ id, cents }) => ({ orderId: `o-${id}`, cents }),
    },
    downcasters: {
      3: ({ orderId, cents }) => ({ id: Number(orderId.slice(2)), cents }),
      2: { to: 1, cast: ({ id, cents }) => ({ id, total: String(cents / 100) }) },
    },
  }),
  defineMessage("past", {
    version: 3,
    schemas: { 1: v1, 2: v2, 3: v3 },
    upcasters: {
      1: { to: 3, cast: ({ id, total }) => ({ orderId: `o-${id}`, cents: Number(total) * 100 }) },
      2: ({ id, cents }) => ({ orderId: `o-${id}`, cents }),
    },
  }),
  defineMessage("unused", {
    version: 10,
    schemas: { 7: v1, 10: v2 },
    unused: [8],
    removed: [9],
    unversioned: 7,
    upcasters: { 7: toV2 },
    downcasters: { 10: ({ id, cents }) => ({ id, total: String(cents / 100) }) },
  }),
  defineMessage("of a format alone", {
    version: 2,
    schemas: { 1: { json: {} }, 2: { json: {} } },
    upcasters: { 1: (body) => body },
  }),
  defineMessage("without schemas", {
    version: 2,
    upcasters: { 1: (body: { id: number }) => ({ orderId: body.id }) },
  }),
];

// The last upcaster returns what the current schema takes; the ones before, what the next one gets.
const instant = z.string().transform((text) => new Date(text));
export const transformed = defineMessage("transformed", {
  version: 3,
  schemas: { 1: v1, 2: z.object({ at: instant }), 3: z.object({ at: instant }) },
  upcasters: { 1: () => ({ at: new Date(0) }), 2: ({ at }) => ({ at: at.toISOString() }) },
});

export const mistaken = () => [
  // @ts-expect-error Version 1 has no upcaster, and there are none at all.
  defineMessage("none", { version: 2, schemas: { 1: v1, 2: v2 } }),
  defineMessage("a missing step", {
    version: 3,
    schemas: { 1: v1, 2: v2, 3: v3 },
    // @ts-expect-error Version 2 has no upcaster.
    upcasters: { 1: toV2 },
  }),
  defineMessage("a wrong body", {
    version: 2,
    schemas: { 1: bodyType<{ a: string }>(), 2: bodyType<{ b: number }>() },
    // @ts-expect-error `b` is a number.
    upcasters: { 1: ({ a }) => ({ b: a }) },
  }),
  defineMessage("a wrong body, later", {
    version: 2,
    schemas: { 1: v1, 2: v2 },
    // @ts-expect-error `cents` is missing.
    upcasters: { 1: async ({ id }) => ({ id }) },
  }),
  defineMessage("a wrong body past a version", {
    version: 3,
    schemas: { 1: v1, 2: v2, 3: v3 },
    // @ts-expect-error What version 2 takes does not fit version 3.
    upcasters: { 1: { to: 3, cast: toV2 }, 2: ({ id, cents }) => ({ orderId: `o-${id}`, cents }) },
  }),
  defineMessage("a version that is not there", {
    version: 2,
    schemas: { 1: v1, 2: v2 },
    // @ts-expect-error There is no version 9.
    upcasters: { 1: { to: 9, cast: toV2 } },
  }),
  defineMessage("a gap", {
    version: 3,
    schemas: { 1: v1, 3: v3 },
    // @ts-expect-error Nothing is known of version 2.
    upcasters: { 1: ({ id }) => ({ orderId: `o-${id}`, cents: 0 }) },
  }),
  defineMessage("an upcaster of the current version", {
    version: 2,
    schemas: { 1: v1, 2: v2 },
    // @ts-expect-error There is nothing above version 2.
    upcasters: { 1: toV2, 2: (body) => body },
  }),
  defineMessage("a wrong body on the way down", {
    version: 2,
    schemas: { 1: v1, 2: v2 },
    upcasters: { 1: toV2 },
    // @ts-expect-error `total` is a text.
    downcasters: { 2: ({ id, cents }) => ({ id, total: cents / 100 }) },
  }),
  defineMessage("a downcaster of the oldest version", {
    version: 2,
    schemas: { 1: v1, 2: v2 },
    upcasters: { 1: toV2 },
    // @ts-expect-error There is nothing below version 1.
    downcasters: { 1: (body: { id: number; total: string }) => body },
  }),
];
