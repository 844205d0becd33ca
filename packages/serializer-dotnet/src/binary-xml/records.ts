/** Record types of .NET binary XML that this package names. Source: [MC-NBFX] 2.2, 2.3. */
export const Records = Object.freeze({
  endElement: 0x01,
  comment: 0x02,
  array: 0x03,
  shortAttribute: 0x04,
  attribute: 0x05,
  shortXmlns: 0x08,
  xmlns: 0x09,
  firstPrefixAttribute: 0x26,
  shortElement: 0x40,
  element: 0x41,
  firstPrefixElement: 0x5e,
  lastElement: 0x77,
  zero: 0x80,
  one: 0x82,
  false: 0x84,
  true: 0x86,
  int8: 0x88,
  int16: 0x8a,
  int32: 0x8c,
  int64: 0x8e,
  float: 0x90,
  double: 0x92,
  decimal: 0x94,
  dateTime: 0x96,
  chars8: 0x98,
  chars16: 0x9a,
  chars32: 0x9c,
  bytes8: 0x9e,
  bytes16: 0xa0,
  bytes32: 0xa2,
  startList: 0xa4,
  endList: 0xa6,
  empty: 0xa8,
  dictionary: 0xaa,
  uniqueId: 0xac,
  timeSpan: 0xae,
  uuid: 0xb0,
  uint64: 0xb2,
  bool: 0xb4,
  unicodeChars8: 0xb6,
  unicodeChars16: 0xb8,
  unicodeChars32: 0xba,
  qNameDictionary: 0xbc,
} as const);

/** A record that refers to a string table: elements 42–5D, attributes 06, 07, 0A–25, texts AA, BC. */
export function isDictionaryRecord(record: number): boolean {
  return (
    (record >= 0x42 && record <= 0x5d) ||
    record === 0x06 ||
    record === 0x07 ||
    (record >= 0x0a && record <= 0x25) ||
    (record & 0xfe) === Records.dictionary ||
    (record & 0xfe) === Records.qNameDictionary
  );
}
