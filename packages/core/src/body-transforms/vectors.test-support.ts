import { createHash } from "node:crypto";
import type { ClaimCheckStore } from "../contracts/claim-check-store.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";

/** Created with Python's `cryptography` (OpenSSL) from the description in the docs: `AESGCM(key).encrypt(nonce, plain, associated data)`. */
export function vectors() {
  const upwards = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  const order = "7b226f72646572223a317d";
  return [
    vector({
      name: "bound to its version",
      plain: order,
      keyId: "orders-2026",
      contentType: "application/json",
      subject: "order",
      bound: ["messageVersion"],
      properties: { messageVersion: 2 },
      key: upwards,
      nonce: "ZGVmZ2hpamtsbW5v",
      body: "3339b1141d8c24bc045322ec14c891c301574b5129d6564e2bd12d",
    }),
    vector({
      name: "bound to nothing more",
      plain: order,
      keyId: "k",
      contentType: "application/json",
      subject: undefined,
      bound: [],
      key: upwards,
      nonce: "ZGVmZ2hpamtsbW5v",
      body: "3339b1141d8c24bc045322de6b1f9bf0123be78b7a9740de9a6c7f",
    }),
    vector({
      name: "bound to properties of several kinds, one of them absent",
      plain: "7b226e223a225a6fc3ab227d",
      keyId: "schlüssel",
      contentType: "application/json; charset=utf-8",
      subject: "Bestellung/日本",
      bound: ["Größe", "messageVersion", "tenant"],
      properties: { Größe: "L", tenant: true },
      key: "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0",
      nonce: "AAAAAAAAAAAAAAAA",
      body: "ebb89df562469977f6d9c5e5d84076de61ff87908569fd2fd9a04580",
    }),
    vector({
      name: "compressed, bound to a version in a text",
      plain: order,
      keyId: "k2",
      contentType: "application/json",
      subject: "order",
      contentEncoding: "gzip",
      bound: ["messageVersion"],
      properties: { messageVersion: "2" },
      key: upwards,
      nonce: "ZGVmZ2hpamtsbW5v",
      body: "5790d66679e9569e3c61f4be104a20b46f90b4382769f32c80ae5343fba3a5f748326b1c806391c4d80160a23c348f",
    }),
    vector({
      name: "bound to its claim check",
      plain: order,
      keyId: "k",
      contentType: "application/json",
      subject: "order",
      bound: ["messageVersion"],
      properties: { messageVersion: 2 },
      claimCheckKey: "2026-11-22/0d2f6c7e-1111-4222-8333-444455556666",
      key: upwards,
      nonce: "ZGVmZ2hpamtsbW5v",
      body: "3339b1141d8c24bc04532263ff8298407067a5175330cd2c2f6abb",
    }),
  ];
}

interface Vector {
  readonly name: string;
  /** In hexadecimal, like key and body; the body ends with the tag. */
  readonly plain: string;
  readonly key: string;
  readonly body: string;
  readonly keyId: string;
  readonly contentType: string;
  readonly subject: string | undefined;
  readonly contentEncoding?: string;
  readonly bound: readonly string[];
  readonly properties?: ApplicationProperties;
  readonly claimCheckKey?: string;
  readonly nonce: string;
}

function vector(one: Vector) {
  const { name, plain, key, keyId, contentType, subject, contentEncoding, bound, claimCheckKey, nonce } = one;
  const body = Buffer.from(one.body, "hex");
  const isElsewhere = claimCheckKey !== undefined;
  const message: EncodedMessage = {
    body: isElsewhere ? new Uint8Array() : body,
    contentType,
    subject,
    applicationProperties: {
      ...one.properties,
      ...(contentEncoding === undefined ? {} : { "Content-Encoding": contentEncoding }),
      "waybill-encryption": "AES-256-GCM",
      "waybill-encryption-key-id": keyId,
      "waybill-encryption-nonce": nonce,
      "waybill-encryption-bound": JSON.stringify(bound),
      ...(isElsewhere
        ? {
            "waybill-claim-check": claimCheckKey,
            "waybill-claim-check-sha256": createHash("sha256").update(body).digest("hex"),
            "waybill-claim-check-bytes": body.length,
          }
        : {}),
    },
  };
  const store: ClaimCheckStore = { put: async () => {}, get: async () => body, delete: async () => {} };
  return { name, plain, key, message, store };
}
