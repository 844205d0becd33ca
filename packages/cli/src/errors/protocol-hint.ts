/** What is said on the way by somebody who speaks the other of TLS and plain AMQP. Source: OpenSSL's errors, Node's error codes. */
const plainAnswer =
  /wrong version number|packet length too long|unsupported protocol|alert handshake failure|EPROTO/i;
/** Node 26 gives up before it connects. Source: its `tls.connect`. */
const addressRefused = /ServerName to an IP address is not permitted/i;
const unknownCertificate =
  /self[- ]signed certificate|unable to verify the first certificate|unable to get (?:local )?issuer/i;
const cutOff =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|socket hang|connection (?:was )?closed|disconnected|not connect/i;

/**
 * What to try where a connection failed as it does when one side speaks TLS and the other does not; undefined where nothing hints at that.
 * `connectionString` is that of the environment.
 */
export function protocolHint(text: string, connectionString: string): string | undefined {
  const isPlain = /;?UseDevelopmentEmulator=true/i.test(connectionString);
  if (connectionString === "") return undefined;
  if (unknownCertificate.test(text))
    return "The broker's certificate is not trusted here: name that of its issuer in NODE_EXTRA_CA_CERTS; for `waybill broker --tls` see `waybill broker certificate`.";
  if (!isPlain && plainAnswer.test(text))
    return "The broker does not seem to speak TLS at this address: a local broker or emulator takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (addressRefused.test(text))
    return "This Node takes no address where TLS is spoken: name localhost instead; a local broker or emulator without TLS takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (isPlain && cutOff.test(text) && !isLocal(connectionString))
    return "UseDevelopmentEmulator=true speaks without TLS, which a namespace of Azure does not take: leave it out of the connection string.";
  return undefined;
}

function isLocal(connectionString: string): boolean {
  return /Endpoint=sb:\/\/(?:localhost|127\.|\[::1\])/i.test(connectionString);
}
