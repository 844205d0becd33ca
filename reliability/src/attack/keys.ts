import type { SharedAccessKey } from "@waybill/broker-server";

/** The keys: the official client has all rights, attackers those of their flood. */
export const keys = {
  root: { name: "root", key: "root-secret", rights: ["Manage"] },
  send: { name: "send", key: "send-secret", rights: ["Send"] },
  listen: { name: "listen", key: "listen-secret", rights: ["Listen"] },
  both: { name: "both", key: "both-secret", rights: ["Send", "Listen"] },
  topic: { name: "topic", key: "topic-secret", rights: ["Manage"], entity: "news" },
} as const satisfies Readonly<Record<string, SharedAccessKey>>;

export type KeyName = keyof typeof keys;
