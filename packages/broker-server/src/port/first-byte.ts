/** What a client speaks, as its first byte says. */
export type Protocol = "amqp" | "http" | "tls";

/** The content type of a TLS handshake record (RFC 8446, 5.1), with which every client hello begins. */
const TLS_HANDSHAKE = 0x16;
const [LETTER_A, LETTER_Z] = [0x41, 0x5a];

/** The protocol that begins with a byte, if any does. No HTTP method in use begins with an A, so the first letter of `AMQP` decides. */
export function protocolOf(firstByte: number): Protocol | undefined {
  if (firstByte === LETTER_A) return "amqp";
  if (firstByte === TLS_HANDSHAKE) return "tls";
  return firstByte > LETTER_A && firstByte <= LETTER_Z ? "http" : undefined;
}
