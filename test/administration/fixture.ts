import { createHmac } from "node:crypto";
import { ServiceBusAdministrationClient } from "@azure/service-bus";
import { type Broker, createBroker, type Tier } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { speakPlainHttp } from "@waybill/transport-azure";
import {
  type MadeCertificate,
  makeCertificate,
} from "../../packages/cli/src/certificate/make-certificate.js";

const key = { name: "RootManageSharedAccessKey", key: "the-root-secret", rights: ["Manage"] } as const;

/** A broker on the network, and the unchanged administration client connected to it. */
export interface AdministrationFixture extends AsyncDisposable {
  readonly broker: Broker;
  readonly client: ServiceBusAdministrationClient;
  readonly connectionString: string;
  /** The certificate of the authority, with TLS. */
  readonly ca: string | undefined;
  /** Sends a request like the SDKs of other languages; returns its status and body. */
  call(method: string, path: string, init?: CallInit): Promise<{ status: number; body: string }>;
}

interface CallInit {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let made: Promise<MadeCertificate> | undefined;

/** With TLS, the certificate is the one that `waybill broker --tls` creates, and the client trusts only its authority. */
export async function openFixture(
  transport: "HTTP" | "TLS" = "HTTP",
  tier: Tier = "standard",
): Promise<AdministrationFixture> {
  const broker = createBroker({ tier });
  made ??= makeCertificate(["localhost", "127.0.0.1"]);
  const certificate = transport === "TLS" ? await made : undefined;
  const server = await serve(broker, { port: 0, keys: [key], host: "127.0.0.1", tls: certificate });
  const origin = `http://localhost:${server.port}`;
  const text = `Endpoint=sb://localhost:${server.port}/;SharedAccessKeyName=${key.name};SharedAccessKey=${key.key}`;
  const client = new ServiceBusAdministrationClient(text, {
    retryOptions: { maxRetries: 0 },
    ...(certificate === undefined ? {} : { tlsOptions: { ca: certificate.ca } }),
  });
  if (certificate === undefined) speakPlainHttp(client);
  return {
    broker,
    client,
    connectionString: text,
    ca: certificate?.ca,
    async call(method, path, { body, headers } = {}) {
      const response = await fetch(`${origin}${path}`, {
        method,
        body: body ?? null,
        headers: { authorization: tokenFor(`${origin}/`), ...headers },
      });
      return { status: response.status, body: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

function tokenFor(address: string): string {
  const resource = encodeURIComponent(address.toLowerCase());
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", key.key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${key.name}`;
}
