import type { Broker } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";

const html = `<img src=x onerror="window.harmed='img'"><script>window.harmed='script'</script><iframe src="javascript:parent.harmed='frame'"></iframe>`;
const ansi = "\u001b[2J\u001b]0;title\u0007\u001b[31mred\u001b[0m";
const rtl = "invoice-\u202Efdp.exe\u202C \u2066hidden\u2069 \u200Fmark";
const large = 16 * 1024 * 1024;

/** Names of properties and values that a page must show as they are, and never do. */
export const hostileIds = ["html", "html-raw", "ansi", "rtl", "proto", "large", "large-raw", "deep"] as const;

/** Fills the queue `hostile` with bodies that would do harm to a page that trusted them. */
export async function fillHostile(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("hostile", { maxMessageSizeInKilobytes: 102_400 });
  const sender = transport.createSender("hostile");
  const messages: Record<(typeof hostileIds)[number], EncodedMessage> = {
    html: {
      ...asJson({ [html]: html }),
      subject: html,
      applicationProperties: { [html.slice(0, 100)]: html },
    },
    "html-raw": { body: bytes(html), contentType: "text/html" },
    ansi: { ...asJson({ text: ansi }), subject: ansi },
    rtl: { ...asJson({ text: rtl }), subject: rtl },
    proto: {
      body: bytes('{"__proto__":{"harmed":true},"constructor":{"prototype":{}}}'),
      contentType: "application/json",
    },
    large: asJson({ text: "x".repeat(large), tail: html }),
    "large-raw": { body: new Uint8Array(large).fill(0xc1), contentType: "application/vnd.msgpack" },
    deep: { body: bytes(`${"[".repeat(5_000)}${"]".repeat(5_000)}`), contentType: "application/json" },
  };
  for (const id of hostileIds) await sender.send([{ ...messages[id], messageId: id }]);
}

function asJson(value: unknown): EncodedMessage {
  return { body: bytes(JSON.stringify(value)), contentType: "application/json" };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
