import {
  AmqpMap,
  type AmqpValue,
  array,
  char,
  described,
  encodeValue,
  float,
  int,
  long,
  symbol,
  timestamp,
  ubyte,
  uint,
  ulong,
  uuid,
} from "@waybill/amqp";
import { pick, type Random } from "waybill-harness/random.js";

const texts = [
  "",
  "a",
  "__proto__",
  "constructor",
  "5",
  "1e400",
  "25:00:00",
  "\u{1f600}",
  "%_",
  "x".repeat(300),
];
/** Names of application properties, those among them that the rules of the run compute with. */
const propertyNames = ["n", "t", "g", "tag", "seen", "DeadLetterReason", "__proto__", "toString"];
const annotations = ["x-opt-scheduled-enqueue-time", "x-opt-partition-key", "x-opt-lock-token", "x-mine"];
const numbers = [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 2 ** 53];
const longs = [0n, -1n, 7n, 2n ** 63n - 1n, -(2n ** 63n)];
const instants = [...longs, 8_640_000_000_000_001n, 253_402_300_799_999n];

/** A value of any AMQP type, at the edges of its range or with a meaning elsewhere. */
export function oddValue(random: Random, depth = 0): AmqpValue {
  const simple: readonly (() => AmqpValue)[] = [
    () => null,
    () => random(2) === 0,
    () => pick(numbers, random),
    () => pick(texts, random),
    () => Buffer.from(pick(texts, random)),
    () => symbol(pick(["", "a", "com.microsoft:timespan"], random)),
    () => int(pick([0, -1, 2 ** 31 - 1, -(2 ** 31)], random)),
    () => uint(pick([0, 300, 2 ** 32 - 1], random)),
    () => ubyte(random(256)),
    () => long(pick(longs, random)),
    () => ulong(pick([0n, 7n, 2n ** 63n, 2n ** 64n - 1n], random)),
    () => timestamp(pick(instants, random)),
    () => uuid(Buffer.alloc(16, random(256))),
    () => float(pick([0, 1.5, Number.NaN], random)),
    () => char(pick([0, 0x1f600, 0xffffffff], random)),
    () => ({ type: "decimal128", value: Buffer.alloc(16, random(256)) }),
    () => described("com.microsoft:timespan", long(pick(longs, random))),
  ];
  const inner = (): AmqpValue => oddValue(random, depth + 1);
  const nested: readonly (() => AmqpValue)[] = [
    () => several(random, inner),
    () => oddMap(texts, random, depth + 1),
    () => described(inner(), inner()),
    () =>
      array(
        "string",
        several(random, () => pick(texts, random)),
      ),
    () =>
      array(
        "map",
        several(random, () => oddMap(texts, random, depth + 1)),
      ),
  ];
  return pick(depth < 3 ? [...simple, ...nested] : simple, random)();
}

/** A map with some of these names, as text or symbol, and now and then a key of another kind. */
export function oddMap(names: readonly string[], random: Random, depth = 0): AmqpMap {
  const key = (): AmqpValue =>
    pick([() => pick(names, random), () => symbol(pick(names, random)), () => oddValue(random, 3)], random)();
  return new AmqpMap(several(random, () => [key(), oddValue(random, depth + 1)] as const));
}

/** What a settlement changes in application properties. */
export function oddChanges(random: Random): AmqpMap {
  return oddMap(propertyNames, random);
}

/** A well-formed message whose fields and properties have odd values. */
export function oddMessage(random: Random): Uint8Array {
  const sections: [code: bigint, value: AmqpValue][] = [];
  const ttl = pick([null, uint(0), uint(1), uint(2 ** 32 - 1)], random);
  if (random(3) === 0) sections.push([0x70n, [true, ubyte(random(256)), ttl]]);
  if (random(4) === 0) sections.push([0x71n, oddMap(annotations, random)]);
  if (random(3) === 0) sections.push([0x72n, oddMap(annotations, random)]);
  if (random(3) > 0) {
    const id = (): AmqpValue => oddValue(random, 2);
    const far = timestamp(pick(instants, random));
    const groupId = pick([null, "a", "", "__proto__"], random);
    sections.push([0x73n, [id(), null, id(), "subject", id(), id(), null, null, far, far, groupId]]);
  }
  if (random(4) > 0) sections.push([0x74n, oddChanges(random)]);
  sections.push(
    pick(
      [
        [0x75n, Buffer.from("{}")],
        [0x77n, oddValue(random)],
        [0x76n, [oddValue(random)]],
      ],
      random,
    ),
  );
  return Buffer.concat(sections.map(([code, value]) => encodeValue(described(ulong(code), value))));
}

function several<Value>(random: Random, make: () => Value): Value[] {
  return Array.from({ length: random(5) }, make);
}
