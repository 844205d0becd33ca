/** The protocol of a client, according to its first byte. */
export type Protocol = "amqp" | "http" | "tls";

/** The content type of a TLS handshake record (RFC 8446, 5.1), the first byte of every client hello. */
const TLS_HANDSHAKE = 0x16;
const [LETTER_A, LETTER_Z] = [0x41, 0x5a];

/** The protocol that begins with a byte, if any. No common HTTP method begins with an A, so the first letter of `AMQP` is enough. */
export function protocolOf(firstByte: number): Protocol | undefined {
  if (firstByte === LETTER_A) return "amqp";
  if (firstByte === TLS_HANDSHAKE) return "tls";
  return firstByte > LETTER_A && firstByte <= LETTER_Z ? "http" : undefined;
}
