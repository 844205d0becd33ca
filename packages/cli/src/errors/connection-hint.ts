import { isKeyRefusal, refusalOf } from "./key-refusal.js";

const unknownHost = /ENOTFOUND|EAI_AGAIN/;
const tooLate = /due to operation timeout|ETIMEDOUT/i;
/** Errors of a connection in which only one side uses TLS. Source: OpenSSL's errors, Node's error codes. */
const plainAnswer =
  /wrong version number|packet length too long|unsupported protocol|alert handshake failure|EPROTO/i;
/** Node 26 refuses an IP address before it connects. Source: its `tls.connect`. */
const addressRefused = /ServerName to an IP address is not permitted/i;
const unknownCertificate =
  /self[- ]signed certificate|unable to verify the first certificate|unable to get (?:local )?issuer/i;
const cutOff =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|socket hang|connection (?:was )?closed|disconnected|not connect/i;

/** Why a namespace could not be used, and what to do; undefined for other errors. `connectionString` is that of the environment. */
export function connectionHint(text: string, connectionString: string): string | undefined {
  if (connectionString === "") return undefined;
  return accessHint(text) ?? protocolHint(text, connectionString) ?? addressHint(text, connectionString);
}

function accessHint(text: string): string | undefined {
  return isKeyRefusal(text) ? refusalOf(text).replace(/^the/, "The") : undefined;
}

/** What to try when only one side uses TLS. */
function protocolHint(text: string, connectionString: string): string | undefined {
  const isPlain = isWithoutTls(connectionString);
  if (unknownCertificate.test(text))
    return "The broker's certificate is not trusted here: name that of its issuer in NODE_EXTRA_CA_CERTS; for `waybill broker --tls` see `waybill broker certificate`.";
  if (!isPlain && plainAnswer.test(text))
    return "The broker does not seem to speak TLS at this address: a local broker or emulator takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (addressRefused.test(text))
    return "This version of Node accepts no IP address for TLS: name localhost instead; a local broker or emulator without TLS takes ;UseDevelopmentEmulator=true at the end of the connection string.";
  if (isPlain && cutOff.test(text) && isAzure(connectionString))
    return "UseDevelopmentEmulator=true connects without TLS, which an Azure namespace does not accept: leave it out of the connection string.";
  return undefined;
}

function addressHint(text: string, connectionString: string): string | undefined {
  if (unknownHost.test(text))
    return "There is no host of this name, or it cannot be looked up from here: check the Endpoint of the connection string.";
  if (tooLate.test(text))
    return "There was no answer in time: check host and port. A firewall may let neither 5671 nor 5672 through.";
  if (isAzure(connectionString) || !/ECONNREFUSED/.test(text)) return undefined;
  const hint =
    "Nothing listens there. Is the broker running? `waybill broker` starts one; it prints its connection string.";
  return isWithoutTls(connectionString)
    ? hint
    : `${hint} For a local broker or emulator without TLS, it ends with ;UseDevelopmentEmulator=true.`;
}

function isWithoutTls(connectionString: string): boolean {
  return /;?UseDevelopmentEmulator=true/i.test(connectionString);
}

/** Whether it names a namespace of Azure, in any cloud; otherwise a local broker or emulator, perhaps in a container. */
function isAzure(connectionString: string): boolean {
  return /Endpoint=sb:\/\/[^;:/]+\.servicebus\./i.test(connectionString);
}
