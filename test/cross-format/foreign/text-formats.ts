import type { Family } from "../family.js";
import { block, concat, prefixed, uint32 } from "./bytes.js";
import { bodies, type Each, type Item } from "./item.js";

/** Formats that are text. */
export function textFormats(each: Each): Family[] {
  return [
    { format: "INI", bodies: each(({ id, quantity }) => concat(`[order]\nid=${id}\nqty=${quantity}\n`)) },
    {
      format: "TOML",
      bodies: each(({ id, quantity }) => concat(`[[order]]\nid = "${id}"\nqty = ${quantity}\n`)),
    },
    {
      format: "JavaScript literals",
      bodies: each(({ id, quantity }) => concat(`{id:'${id}',qty:${quantity}}`)),
    },
    {
      format: "Python literals",
      bodies: each(({ id, quantity }) => concat(`{'id': '${id}', 'qty': ${quantity}, 'paid': True}`)),
    },
    {
      format: "JSON lines",
      bodies: each(({ id, quantity }) =>
        concat(`${JSON.stringify({ id })}\n${JSON.stringify({ quantity })}\n`),
      ),
    },
    {
      format: "JSON with a trailing comma",
      bodies: each(({ id, quantity }) => concat(`{"id":${JSON.stringify(id)},"qty":${quantity},}`)),
    },
    { format: "JSON with NaN", bodies: each(({ id }) => concat(`{"id":${JSON.stringify(id)},"price":NaN}`)) },
    { format: "JSON after a guard", bodies: each(({ id }) => concat(`)]}',\n${JSON.stringify({ id })}`)) },
    { format: "JSONP", bodies: each(({ id }) => concat(`callback(${JSON.stringify({ id })})`)) },
    {
      format: "S-expressions",
      bodies: each(({ id, quantity }) => concat(`(order (id "${id}") (qty ${quantity}))`)),
    },
    { format: "HTML", bodies: each(({ id }) => concat(`<!doctype html><p>${id}</p>`)) },
    {
      format: "EDIFACT",
      bodies: each(({ id, quantity }) => concat(`UNB+UNOA:1+A+B'BGM+220+${id}'QTY+21:${quantity}'`)),
    },
    {
      format: "HTTP messages",
      bodies: each(({ id }) =>
        concat(`POST /orders HTTP/1.1\r\nHost: shop\r\n\r\n${JSON.stringify({ id })}`),
      ),
    },
    {
      format: "PEM and JWT",
      bodies: each(({ id }) =>
        concat(`eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ id })).toString("base64url")}.`),
      ),
    },
    {
      format: "logs in brackets",
      bodies: each(({ id }, n) => concat(`[2026-11-05 12:34:${n % 60}] [INFO] order ${id}`)),
    },
    { format: "templates in braces", bodies: each(({ id }) => concat(`{{#order}}${id}{{/order}}`)) },
    {
      format: "legacy .NET text after a length",
      bodies: each(({ id }) =>
        concat(
          [0x99],
          block((length) => [length & 0xff], id),
        ),
      ),
    },
  ];
}

/** Damaged JSON: the first byte overwritten or removed, or invalid UTF-8 between letters. */
export function damagedJson(items: readonly Item[]): Family[] {
  const texts = items.map((item) => Buffer.from(JSON.stringify(item)));
  const damaged = (damage: (text: Buffer, n: number) => Uint8Array) => bodies(texts.map(damage));
  return [
    {
      format: "JSON whose first byte is overwritten",
      bodies: bodies(
        texts
          .slice(0, 8)
          .flatMap((text) =>
            Array.from({ length: 128 }, (_, high) => concat([0x80 + high], text.subarray(1))),
          ),
      ),
    },
    {
      format: "short JSON whose first byte is overwritten",
      bodies: bodies(
        ["[1]", "[1,2]", '{"a":1}', "[true]", "[[1],[2]]"].flatMap((text) =>
          Array.from({ length: 128 }, (_, high) => concat([0x80 + high], text.slice(1))),
        ),
      ),
    },
    { format: "JSON without its first byte", bodies: damaged((text) => text.subarray(1)) },
    {
      format: "JSON with a letter of Latin-1",
      bodies: damaged((text, n) => concat(text.subarray(0, 8), [0xe4 + (n % 27)], text.subarray(8))),
    },
    {
      format: "JSON with a flipped high bit",
      bodies: damaged((text, n) =>
        Buffer.from(text.map((byte, at) => (at === n % text.length ? byte ^ 0x80 : byte))),
      ),
    },
    { format: "JSON after a length", bodies: damaged((text) => prefixed(uint32, text)) },
    {
      format: "JSON in quotes and backslashes",
      bodies: damaged((text) => Buffer.from(text.toString().replaceAll('"', '\\"'))),
    },
  ];
}
