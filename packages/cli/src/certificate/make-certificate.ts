// The library below needs this to be imported first.
import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A server certificate and the authority that signed it, as PEM. The authority's key is not kept, so it can sign nothing else. */
export interface MadeCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The maximum that Apple's systems accept for a server; the authority is valid as long. */
const validityDays = 825;
const dayMs = 86_400_000;
const keys = { name: "ECDSA", namedCurve: "P-256" } as const;
const signing = { name: "ECDSA", hash: "SHA-256" } as const;

/** Makes an authority, has it sign a certificate for some hosts, and discards the authority's key. */
export async function makeCertificate(hosts: readonly string[], now = new Date()): Promise<MadeCertificate> {
  const [caKeys, serverKeys] = await Promise.all([makeKeys(), makeKeys()]);
  const notBefore = new Date(now.getTime() - dayMs);
  const notAfter = new Date(now.getTime() + validityDays * dayMs);
  const common = { notBefore, notAfter, signingAlgorithm: signing } as const;
  const name = `CN=waybill local broker CA ${randomBytes(4).toString("hex")}`;
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: makeSerialNumber(),
    name,
    keys: caKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(caKeys.publicKey, false),
    ],
  });
  const server = await X509CertificateGenerator.create({
    ...common,
    serialNumber: makeSerialNumber(),
    subject: `CN=${hosts[0] ?? "localhost"}`,
    issuer: ca.subject,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) === 0 ? ("dns" as const) : ("ip" as const), value: host })),
      ),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey, false),
      await AuthorityKeyIdentifierExtension.create(caKeys.publicKey, false),
    ],
  });
  const key = await webcrypto.subtle.exportKey("pkcs8", serverKeys.privateKey);
  return {
    ca: `${ca.toString("pem")}\n`,
    cert: `${server.toString("pem")}\n${ca.toString("pem")}\n`,
    key: `${PemConverter.encode(key, "PRIVATE KEY")}\n`,
  };
}

function makeKeys() {
  return webcrypto.subtle.generateKey(keys, true, ["sign", "verify"]);
}

/** Positive, and of 16 random bytes. */
function makeSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString("hex");
}
