import { hex } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";

/** Throws `configuration-invalid` where there is no Web Crypto, as in a browser's insecure context. */
export function requireWebCrypto(what: string): void {
  if (globalThis.crypto?.subtle !== undefined) return;
  throw new WaybillError(
    "configuration-invalid",
    `${what} needs Web Crypto, which this platform does not offer.`,
  );
}

/** SHA-256 in lower-case hexadecimal. Rejects with a `TypeError` where there is no Web Crypto. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const hash = await globalThis.crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return hex(new Uint8Array(hash));
}
