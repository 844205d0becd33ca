/** The fingerprint of the empty text, which is also the table's polynomial. Source: Avro specification 1.12, "Schema Fingerprints". */
const emptyFingerprint = 0xc15d213aa4d7a795n;

const table: readonly bigint[] = Array.from({ length: 256 }, (_, index) => {
  let entry = BigInt(index);
  for (let bit = 0; bit < 8; bit++) entry = (entry >> 1n) ^ (entry & 1n ? emptyFingerprint : 0n);
  return entry;
});

/** CRC-64-AVRO of bytes, as an unsigned 64-bit number. Source: Avro specification 1.12, "Schema Fingerprints". */
export function crc64Avro(bytes: Uint8Array): bigint {
  let fingerprint = emptyFingerprint;
  for (const byte of bytes)
    fingerprint = (fingerprint >> 8n) ^ (table[Number((fingerprint ^ BigInt(byte)) & 0xffn)] ?? 0n);
  return fingerprint;
}
