/** Errors of a connection in which only one side uses TLS. Source: OpenSSL's errors, Node's error codes. */
const plainAnswer =
  /wrong version number|packet length too long|unsupported protocol|alert handshake failure|EPROTO/i;
/** Node 26 refuses an IP address before it connects. Source: its `tls.connect`. */
const addressRefused = /ServerName to an IP address is not permitted/i;
const unknownCertificate =
  /self[- ]signed certificate|unable to verify the first certificate|unable to get (?:local )?issuer/i;
const cutOff =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|socket hang|connection (?:was )?closed|disconnected|not connect/i;

/**
 * What to try when a connection failed because only one side uses TLS; undefined for other errors. `connectionString` is that of the
 * environment.
 */
export function protocolHint(text: string, connectionString: string): string | undefined {
  const isPlain = /;?UseDevelopmentEmulator=true/i.test(connectionString);
  if (connectionString === "") return undefined;
  if (unknownCertificate.test(text))
    return "The broker's certificate is not trusted here: name that of its issuer in NODE_EXTRA_CA_CERTS; for `waybill broker --tls` see `waybill broker certificate`.";
  if (!isPlain && plainAnswer.test(text))
    return "The broker does not seem to speak TLS at this address: a local broker or emulator takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (addressRefused.test(text))
    return "This version of Node accepts no IP address for TLS: name localhost instead; a local broker or emulator without TLS takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (isLocal(connectionString) && /ECONNREFUSED/.test(text))
    return "Nothing listens there. Is the broker running? `waybill broker` starts one; it prints its connection string.";
  if (isPlain && cutOff.test(text) && !isLocal(connectionString))
    return "UseDevelopmentEmulator=true connects without TLS, which an Azure namespace does not accept: leave it out of the connection string.";
  return undefined;
}

function isLocal(connectionString: string): boolean {
  return /Endpoint=sb:\/\/(?:localhost|127\.|\[::1\])/i.test(connectionString);
}
