import type { Family } from "../family.js";
import { block, concat, uint16, uint32, uint32le, varint } from "./bytes.js";
import type { Each } from "./item.js";

/** Formats whose bytes have names or types. */
export function selfDescribingFormats(each: Each): Family[] {
  return [
    {
      format: "Smile",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x3a, 0x29, 0x0a, 1, 0xfa, 0x81],
          "id",
          [0x40 + Math.min(id.length, 31)],
          id.slice(0, 32),
          [0x82],
          "qty",
          [0xc0 + (quantity & 31), 0xfb],
        ),
      ),
    },
    {
      format: "UBJSON",
      bodies: each(({ id, quantity }) =>
        concat(
          "{",
          "U",
          [2],
          "id",
          "SU",
          [id.length & 0xff],
          id,
          "U",
          [3],
          "qty",
          "l",
          uint32(quantity),
          "}",
        ),
      ),
    },
    {
      format: "Bencode",
      bodies: each(({ id, quantity }) => concat(`d2:id${id.length}:${id}3:qtyi${quantity}ee`)),
    },
    {
      format: "CBOR sequence",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0x60 + Math.min(id.length, 23)],
          id.slice(0, 23),
          [0x1a],
          uint32(quantity),
          [0x81, 0xf6],
        ),
      ),
    },
    {
      format: "CBOR arrays of maps",
      bodies: each(({ quantity, tags }) =>
        concat(
          [0x80 + (tags.length % 24)],
          ...tags.map((tag) => concat([0xa1, 0x61], tag.slice(0, 1) || "a", [quantity % 24])),
        ),
      ),
    },
    {
      format: "CBOR with tags",
      bodies: each(({ id, quantity }) =>
        concat([0xd8, 0x40 + (quantity % 16), 0x40 + Math.min(id.length, 23)], id.slice(0, 23)),
      ),
    },
    {
      format: "Amazon Ion, binary",
      bodies: each(({ id }) => concat([0xe0, 1, 0, 0xea, 0x80 + Math.min(id.length, 13)], id.slice(0, 13))),
    },
    {
      format: "Python pickle",
      bodies: each(({ id, quantity }, n) =>
        concat(
          [0x80, 2 + (n % 4), 0x7d, 0x28, 0x8c, 2],
          "id",
          [0x8c, id.length & 0xff],
          id,
          [0x4a],
          uint32le(quantity),
          "u.",
        ),
      ),
    },
    {
      format: "Java serialization",
      bodies: each(({ id }) => concat([0xac, 0xed, 0, 5, 0x74], block(uint16, id))),
    },
    {
      format: ".NET BinaryFormatter",
      bodies: each(({ id }) =>
        concat(
          [0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0],
          block(varint, id),
          [0x0b],
        ),
      ),
    },
    {
      format: "PHP serialize",
      bodies: each(({ id, quantity }) =>
        concat(`a:2:{s:2:"id";s:${id.length}:"${id}";s:3:"qty";i:${quantity};}`),
      ),
    },
    {
      format: "Ruby Marshal",
      bodies: each(({ id }) => concat([4, 8, 0x7b, 6, 0x3a, 7], "id", [0x22, (id.length & 0x7f) + 5], id)),
    },
    {
      format: "AMF 3",
      bodies: each(({ id }) => concat([0x0a, 0x0b, 1, 5], "id", [6, ((id.length << 1) | 1) & 0x7f], id, [1])),
    },
    {
      format: "Hessian 2",
      bodies: each(({ id, quantity }) =>
        concat("H", [0x02, 0x00, 0x4d, 0x02], "id", [id.length & 0x1f], id.slice(0, 31), [
          0x90 + (quantity & 0x2f),
          0x5a,
        ]),
      ),
    },
    {
      format: "AMQP encoded maps",
      bodies: each(({ id, quantity }) =>
        concat(
          [0xd1],
          uint32(id.length + 20),
          uint32(4),
          [0xa1, 2],
          "id",
          [0xa1, id.length & 0xff],
          id,
          [0xa1, 3],
          "qty",
          [0x71],
          uint32(quantity),
        ),
      ),
    },
    { format: "Netstrings", bodies: each(({ id }) => concat(`${id.length}:${id},`)) },
    {
      format: "MessagePack of the old specification, in Latin-1",
      bodies: each(({ id, quantity }) =>
        concat(
          [0x82, 0xa4],
          [0x6e, 0xe4, 0x6d, 0x65],
          [0xa0 + Math.min(id.length, 31)],
          id.slice(0, 31),
          [0xa3],
          "qty",
          [quantity & 0x7f],
        ),
      ),
    },
    {
      format: "MessagePack after a length",
      bodies: each(({ quantity }) =>
        concat(uint32(8), [0x82, 0xa2], "id", [1, 0xa3], "qty", [quantity & 0x7f]),
      ),
    },
    {
      format: "two MessagePack maps in a row",
      bodies: each(({ quantity }) =>
        concat([0x82, 0xa2], "id", [1, 0xa3], "qty", [2], [0x82, 0xa2], "id", [1, 0xa3], "qty", [
          quantity & 0x7f,
        ]),
      ),
    },
    {
      format: "MessagePack with integer keys",
      bodies: each(({ id, quantity }) =>
        concat([0x82, 1, 0xa0 + Math.min(id.length, 31)], id.slice(0, 31), [2, 0xce], uint32(quantity)),
      ),
    },
  ];
}
