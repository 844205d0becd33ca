import fc from "fast-check";
import type { Family } from "./family.js";

const seed = 20_261_105;

/** Words by script and language, for the character sets below. */
const words = {
  western:
    "Übersicht Überweisung Straße façade señor œuvre Ærø Å år naïve «oui» “OK” ‘£10’ … – • ½ 20° €50 ™".split(
      " ",
    ),
  central: "łódź żółw Šárka příliš žluťoučký kůň őrült ćma źle š ž Š Ž „cena” – € § ű".split(" "),
  cyrillic: "заказ Ваша Вашах Варя Гараж Посылка № 5 Ёлка это что шт. руб. Щука Эхо «Да» ї є Ґанок ў".split(
    " ",
  ),
  greek: "παραγγελία Ώρα Ελλάδα ςσ Ά «ναι» € ―".split(" "),
  turkish: "İstanbul ığdır şişe çay ğ Ö ü ₺ “tamam”".split(" "),
  hebrew: "הזמנה לקוח ם ן מחיר שלום ₪50".split(" "),
  arabic: "طلب پستچی چای ژاله گرم ک ڈاک پ چ گ ٪ ،".split(" "),
  baltic: "užsakymas ģimene šķēle žvakė õ ų „taip“ –".split(" "),
  vietnamese: "đơn hàng Ấp ữ ằ ₫ – “vâng”".split(" "),
  thai: "คำสั่ง ลง ยก ก ข้าว ๑๒ ฿ –".split(" "),
  japanese: "注文 ■OK ※notice →発送 ◆A い かな をアメ ｱｲｳ 出荷｡ ･OK 優 〒100 縺ｯ 「はい」 £".split(" "),
  simplified: "订单 一 模 东西 发货 ■OK →完成 「好」 ￥50 联通".split(" "),
  traditional: "訂單 偉 優 備 國 學 ■OK →完成 「好」".split(" "),
  korean: "주문 배송 ■OK →완료 뷁 힣 ￦50".split(" "),
} as const;

const ascii =
  "OK id=7 A-1042 ERROR shipped 42 3.14 {} [1,2] null true a Z 0 hello,fixture x!y (b) -1 2026-03-14 user@example.com".split(
    " ",
  );

type Script = keyof typeof words;

/** Character sets whose decoder the platform has, with their languages. Source: the WHATWG encoding standard. */
const platformCharsets: readonly (readonly [charset: string, script: Script])[] = [
  ["windows-1250", "central"],
  ["windows-1251", "cyrillic"],
  ["windows-1252", "western"],
  ["windows-1253", "greek"],
  ["windows-1254", "turkish"],
  ["windows-1255", "hebrew"],
  ["windows-1256", "arabic"],
  ["windows-1257", "baltic"],
  ["windows-1258", "vietnamese"],
  ["windows-874", "thai"],
  ["iso-8859-2", "central"],
  ["iso-8859-5", "cyrillic"],
  ["iso-8859-7", "greek"],
  ["iso-8859-8", "hebrew"],
  ["iso-8859-15", "western"],
  ["koi8-r", "cyrillic"],
  ["koi8-u", "cyrillic"],
  ["ibm866", "cyrillic"],
  ["macintosh", "western"],
  ["x-mac-cyrillic", "cyrillic"],
  ["shift_jis", "japanese"],
  ["euc-jp", "japanese"],
  ["gbk", "simplified"],
  ["big5", "traditional"],
  ["euc-kr", "korean"],
];

/** The upper half of DOS character sets, from 0x80. Source: the code page tables of IBM. */
const dosCharsets: readonly (readonly [charset: string, upperHalf: string, script: Script])[] = [
  [
    "cp437",
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
    "western",
  ],
  [
    "cp850",
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
    "western",
  ],
  [
    "cp852",
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
    "central",
  ],
];

/** EBCDIC's letters, digits and signs by their bytes. Source: IBM code page 37. */
const ebcdic = new Map<string, readonly number[]>(
  [
    [0x81, "abcdefghi"],
    [0x91, "jklmnopqr"],
    [0xa2, "stuvwxyz"],
    [0xc1, "ABCDEFGHI"],
    [0xd1, "JKLMNOPQR"],
    [0xe2, "STUVWXYZ"],
    [0xf0, "0123456789"],
    [0x40, " "],
    [0x4b, ".<(+|&"],
    [0x5b, "$*);"],
    [0x60, "-/"],
    [0x6b, ",%_>?"],
    [0x7a, ":#@'=\""],
  ].flatMap(([first, letters]) =>
    Array.from(letters as string, (letter, index) => [letter, [(first as number) + index]] as const),
  ),
);

/** Plain text and JSON in character sets other than UTF-8, which must not be read as formats of the chain. */
export function legacyTexts(): Family[] {
  const charsets = [
    ...platformCharsets.map(([name, script]) => ({ name, script, encode: encoder(platformTable(name)) })),
    ...dosCharsets.map(([name, upper, script]) => ({ name, script, encode: encoder(upperTable(upper)) })),
  ];
  return [
    ...charsets.map(({ name, script, encode }) => ({
      format: `text in ${name}`,
      bodies: foreign(lines(script).map(encode)),
    })),
    { format: "text in EBCDIC", bodies: foreign(lines("western").map(encoder(ebcdic, false))) },
    {
      format: "text in UTF-16LE",
      bodies: foreign(everyScript().map((line) => Buffer.from(line, "utf16le"))),
    },
    {
      format: "text in UTF-16BE",
      bodies: foreign(everyScript().map((line) => Buffer.from(line, "utf16le").swap16())),
    },
    { format: "text in UTF-32LE", bodies: foreign(everyScript().map(utf32)) },
    {
      format: "text in UTF-8, cut inside a letter",
      bodies: foreign(everyScript().map((line) => Buffer.from(line).subarray(1))),
    },
    ...charsets.map(({ name, script, encode }) => ({
      format: `JSON in ${name}`,
      bodies: foreign(jsonTexts(script).map(encode).filter(isBeyondAscii)),
    })),
    {
      format: "JSON of one word in GBK, EUC-KR or TIS-620",
      mayBeTaken: true,
      bodies: foreign(
        (["gbk", "euc-kr", "windows-874"] as const).flatMap((charset) => {
          const script = platformCharsets.find(([name]) => name === charset)?.[1] ?? "thai";
          const encode = encoder(platformTable(charset));
          return words[script].map((word) => encode(`{"name":"${word}"}`)).filter(isBeyondAscii);
        }),
      ),
    },
    {
      format: "JSON in UTF-7",
      mayBeTaken: true,
      bodies: foreign(
        words.western
          .filter((word) => !/^[ -~]*$/.test(word))
          .map((word) => Buffer.from(`{"name":"${utf7(word)}"}`)),
      ),
    },
  ];
}

function foreign(bodies: readonly Uint8Array[]): Family["bodies"] {
  return bodies.filter(({ length }) => length > 0).map((bytes) => ({ bytes }));
}

/** Short and long lines in a script, most of which begin with one of its letters. */
function lines(script: Script): string[] {
  const own = fc.constantFrom(...words[script]);
  const mixed = fc.array(fc.oneof({ weight: 2, arbitrary: own }, fc.constantFrom(...ascii)), {
    maxLength: 12,
  });
  const line = fc.record({ first: own, rest: mixed, gap: fc.constantFrom(" ", " ", "", ", ") });
  return [
    ...words[script],
    ...words[script].flatMap((word) =>
      ["", "!", " 1", "OK", " hello", "2026-03-14"].map((end) => word + end),
    ),
    ...fc.sample(line, { numRuns: 60, seed }).map(({ first, rest, gap }) => [first, ...rest].join(gap)),
  ];
}

function everyScript(): string[] {
  return (Object.keys(words) as Script[]).flatMap((script) => lines(script).slice(0, 60));
}

function jsonTexts(script: Script): string[] {
  return lines(script)
    .slice(-60)
    .map((line, number) => JSON.stringify({ id: number, name: line, words: words[script].slice(0, 5) }));
}

function isBeyondAscii(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte >= 0x80);
}

/** Encodes a text with a table, and omits characters that the table does not have. */
function encoder(
  table: ReadonlyMap<string, readonly number[]>,
  keepsAscii = true,
): (text: string) => Uint8Array {
  return (text) =>
    Uint8Array.from(
      Array.from(text).flatMap(
        (char) => table.get(char) ?? (keepsAscii && char <= "~" ? [char.charCodeAt(0)] : []),
      ),
    );
}

function upperTable(upperHalf: string): ReadonlyMap<string, readonly number[]> {
  return new Map(Array.from(upperHalf, (char, index) => [char, [0x80 + index]]));
}

/** The inverse of a character set: every byte, and every pair of bytes, that its decoder reads as one character. */
function platformTable(charset: string): ReadonlyMap<string, readonly number[]> {
  // Not fatal: tens of thousands of errors would take seconds.
  const decoder = new TextDecoder(charset);
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if (!text.includes("\uFFFD") && [...text].length === 1 && !table.has(text)) table.set(text, bytes);
  };
  for (let byte = 0x80; byte <= 0xff; byte++) add([byte]);
  if (table.size > 100) return table;
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) add([lead, trail]);
  }
  return table;
}

function utf32(text: string): Uint8Array {
  const points = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  const bytes = Buffer.alloc(points.length * 4);
  for (const [index, point] of points.entries()) bytes.writeUInt32LE(point, index * 4);
  return bytes;
}

/** Characters beyond ASCII are base64 of UTF-16 between a plus and a minus sign. Source: RFC 2152. */
function utf7(text: string): string {
  return text.replace(/[^ -~]+/g, (run) => {
    const base64 = Buffer.from(run, "utf16le").swap16().toString("base64");
    return `+${base64.replace(/=+$/, "")}-`;
  });
}
