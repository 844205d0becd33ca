import { pause } from "waybill-harness/waiting.js";
import type { Flood, FloodContext } from "./flood.js";

// Attacks over HTTP: sockets that stay open, and bodies that take long to parse.

/** More than a server has sockets. */
const sockets = 7_000;
const wrongUpgrade =
  "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const mb = 2 ** 20;

const keyValue =
  '<KeyValueOfstringanyType><Key>k</Key><Value i:type="d6p1:string" xmlns:d6p1="http://www.w3.org/2001/XMLSchema">v</Value></KeyValueOfstringanyType>';

export const floodsOfHttp: readonly Flood[] = [
  {
    name: "half-closed upgrades at a wrong path, no token",
    attackers: 1,
    run: (context) => neverClose(context, "amqp"),
  },
  {
    name: "half-closed upgrades at a wrong path over TLS, no token",
    attackers: 1,
    run: (context) => neverClose(context, "tls"),
  },
  {
    name: "descriptions of up to 1 MB, a key of one entity",
    run: (context) =>
      repeat(context, {
        method: "PUT",
        path: "/news/Subscriptions/ruled/Rules/flood",
        bodies: [256 * 1024, mb].flatMap((bytes) =>
          [
            "<a/>",
            keyValue,
            "&amp;",
            `<a ${Array.from({ length: 100 }, (_, i) => `b${i}="c"`).join(" ")}/>`,
          ].map((part) => entry(part.repeat(Math.floor((bytes - 500) / part.length)))),
        ),
      }),
  },
  {
    name: "batches of JSON, a key of one entity",
    run: (context) =>
      repeat(context, {
        method: "POST",
        path: "/news/messages",
        type: "application/vnd.microsoft.servicebus.json",
        bodies: [
          `[${"{},".repeat(600_000)}{}]`,
          `[${"1,".repeat(900_000)}1]`,
          `[${"[".repeat(900_000)}${"]".repeat(900_000)}]`,
          `[${Array.from({ length: 4_400 }, (_, i) => item(i, 8)).join()}]`,
          `[${Array.from({ length: 10 }, (_, i) => item(i, 9_000)).join()}]`,
          `[${item(0, 90_000)}]`,
        ],
      }),
  },
];

interface Requests {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly bodies: readonly string[];
}

async function repeat(
  { ask, isOver }: FloodContext,
  { method, path, type, bodies }: Requests,
): Promise<void> {
  const requests = bodies.map((text) => Buffer.from(text));
  for (let sent = 0; !isOver(); sent++)
    await ask({ method, path, type, key: "topic", body: requests[sent % requests.length] });
}

/** Opens more and more sockets that have ended their side, and closes none of them; then a new client must still be served. */
async function neverClose(
  { openHalf, ask, fail, isOver }: FloodContext,
  port: "amqp" | "tls",
): Promise<void> {
  for (let opened = 0; opened < sockets && !isOver(); opened++) {
    openHalf(wrongUpgrade, port);
    if (opened % 50 === 0) await pause(5);
  }
  do {
    await pause(200);
    const status = await ask({ method: "GET", path: "/news", key: "topic" });
    if (status !== 200) fail(`a new client got ${status || "no answer"}`);
  } while (!isOver());
}

function entry(members: string): string {
  return `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><RuleDescription><Filter i:type="CorrelationFilter" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><Properties>${members}</Properties></Filter></RuleDescription></content></entry>`;
}

function item(number: number, properties: number): string {
  const own = Array.from({ length: properties }, (_, i) => `"p${i}":${i}`).join();
  return `{"Body":"b","BrokerProperties":{"MessageId":"${number}"},"UserProperties":{${own}}}`;
}
