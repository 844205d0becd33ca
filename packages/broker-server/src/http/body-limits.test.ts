import { describe, expect, it } from "vitest";
import { entryOf, openHttp } from "./http.test-support.js";
import { toBrokerMessages } from "./messages/to-broker-message.js";
import { parseXml } from "./parse-xml.js";

const batch = { "content-type": "application/vnd.microsoft.servicebus.json" };

/** Counts how often others may work. */
function openPauses() {
  const pauses = { count: 0, pause: async () => void pauses.count++ };
  return pauses;
}

describe("the description of an entity or rule", () => {
  it("is parsed in slices of 8 KiB, between which others work", async () => {
    const pauses = openPauses();
    const text = `<entry>${`<a>${"x".repeat(100)}</a>`.repeat(2_000)}</entry>`;
    const root = await parseXml(text, pauses.pause);
    expect(root.children).toHaveLength(2_000);
    expect(pauses.count).toBe(Math.ceil(text.length / 8192));
  });

  it.each([
    ["more than 256 KiB", "x".repeat(256 * 1024), 413],
    ["more than 20,000 elements", "<a/>".repeat(20_001), 400],
    [
      "more than 20,000 attributes",
      `<a ${Array.from({ length: 20_001 }, (_, i) => `a${i}=""`).join(" ")}/>`,
      400,
    ],
    ["elements deeper than 32", `${"<a>".repeat(40)}${"</a>".repeat(40)}`, 400],
    ["an entity of its own", "&own;", 400],
    ["an end without a beginning", "</a>", 400],
  ])("is refused with %s", async (_, members, status) => {
    await using fixture = await openHttp();
    const body = entryOf("QueueDescription", members);
    expect((await fixture.ask("PUT", "/orders", { body })).status).toBe(status);
    expect((await fixture.ask("PUT", "/orders", { body: `<!DOCTYPE a>${body}` })).status).not.toBe(201);
    expect(fixture.broker.listEntities()).toEqual([]);
  });

  it("may have a correlation filter as large as a filter may be", async () => {
    await using fixture = await openHttp();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "all");
    const condition = (key: number) =>
      `<KeyValueOfstringanyType><Key>key-${key}</Key><Value i:type="d:string" xmlns:d="http://www.w3.org/2001/XMLSchema">${"v".repeat(40)}</Value></KeyValueOfstringanyType>`;
    const conditions = Array.from({ length: 1_100 }, (_, key) => condition(key)).join("");
    const filter = `<Filter i:type="CorrelationFilter"><Properties>${conditions}</Properties></Filter>`;
    const body = entryOf("RuleDescription", filter);
    expect(await fixture.ask("PUT", "/news/Subscriptions/all/Rules/large", { body })).toMatchObject({
      status: 201,
    });
  });
});

describe("a batch of JSON", () => {
  it("is parsed message by message, between which others work", async () => {
    const pauses = openPauses();
    const messages = Array.from({ length: 50 }, (_, number) => ({
      Body: `"[{,}]\\" ${number}`,
      UserProperties: { "a,]": "}" },
    }));
    const bytes = Buffer.from(` \n${JSON.stringify(messages, undefined, 1)}\n`);
    const parsed = await toBrokerMessages(bytes, 50, pauses.pause);
    const bodies = messages.map(({ Body }) => ({ section: "data", bytes: Buffer.from(Body) }));
    expect(parsed.map(({ body }) => body)).toEqual(bodies);
    expect(pauses.count).toBe(50);
  });

  it.each([
    ["a message of more than 10,000 values", `[{"Body":"b","x":[${"1,".repeat(10_000)}1]}]`],
    ["more than 4,500 messages", `[${'{"Body":"b"},'.repeat(4_500)}{"Body":"b"}]`],
    ["100,000 empty messages", `[${"{},".repeat(100_000)}{}]`],
    ["no message", "[ ]"],
    ["a missing message", '[{"Body":"b"},]'],
    ["half a message", '[{"Body":"b"},{"Body"]'],
    ["a bracket too many", '[{"Body":"b"}]]'],
    ["no array", '{"Body":"b"}'],
    ["text that is no UTF-8", Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
  ])("is refused whole with %s", async (_, body) => {
    await using fixture = await openHttp();
    await fixture.broker.createQueue("orders");
    expect(await fixture.ask("POST", "/orders/messages", { body, headers: batch })).toMatchObject({
      status: 400,
    });
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });
});
