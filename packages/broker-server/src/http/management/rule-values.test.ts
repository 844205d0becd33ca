import { long, stringMap } from "@waybill/amqp";
import type { ApplicationProperties } from "@waybill/broker";
import { ruleTimeSpan } from "@waybill/broker/front-end";
import { describe, expect, it } from "vitest";
import { connectRaw } from "../../raw-client.test-support.js";
import { entryOf, openHttp, rootKey } from "../http.test-support.js";

const schema = "http://www.w3.org/2001/XMLSchema";
const entry = (type: string, text: string) =>
  `<KeyValueOfstringanyType><Key>k</Key><Value i:type="d:${type}" xmlns:d="${schema}">${text}</Value></KeyValueOfstringanyType>`;
const correlation = (value: string) =>
  entryOf("RuleDescription", `<Filter i:type="CorrelationFilter"><Properties>${value}</Properties></Filter>`);
const sql = (value: string) =>
  entryOf(
    "RuleDescription",
    `<Filter i:type="SqlFilter"><SqlExpression>k = @k</SqlExpression><Parameters>${value.replace("<Key>k", "<Key>@k")}</Parameters></Filter>` +
      `<Action i:type="SqlRuleAction"><SqlExpression>SET copy = @k</SqlExpression><Parameters>${value.replace("<Key>k", "<Key>@k")}</Parameters></Action>`,
  );

async function openTopic() {
  const fixture = await openHttp();
  await fixture.broker.createTopic("events");
  await fixture.broker.createSubscription("events", "all");
  await fixture.broker.deleteRule("events", "all", "$Default");
  return {
    ...fixture,
    put: (body: string) => fixture.ask("PUT", "/events/Subscriptions/all/Rules/typed", { body }),
    valuesIn: async () => {
      const { body } = await fixture.ask("GET", "/events/Subscriptions/all/Rules/typed");
      return [...body.matchAll(/<Value [^>]*type="\w+:(\w+)"[^>]*>([^<]*)</g)].map(([, type, text]) => [
        type,
        text,
      ]);
    },
    matches: async (applicationProperties: ApplicationProperties) => {
      const body = { section: "data", bytes: Uint8Array.of(49) } as const;
      await fixture.broker.sender("events").send({ body, applicationProperties });
      return (await fixture.broker.purge("events/Subscriptions/all")) > 0;
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

const time = new Date("2026-01-02T03:04:05.123Z");
const cases: [
  type: string,
  text: string,
  equal: ApplicationProperties[string],
  other: ApplicationProperties[string],
][] = [
  ["string", "5", "5", 5],
  ["int", "5", 5, 6],
  ["long", "5", 5, "5"],
  ["long", "2147483650", 2_147_483_650, 2_147_483_651],
  ["long", "9007199254740993", 9_007_199_254_740_993n, 9_007_199_254_740_992n],
  ["double", "3", 3, 4],
  ["double", "2.5", 2.5, 2],
  ["boolean", "true", true, "true"],
  ["dateTime", "2026-01-02T03:04:05.1230000Z", time, new Date(time.getTime() + 1)],
  ["duration", "P1DT2H3M", ruleTimeSpan(937_800_000_000n), ruleTimeSpan(1n)],
];

describe("a value of a rule", () => {
  it.each(cases)(
    "keeps its type and text, and is compared as typed: %s %s",
    async (type, text, equal, other) => {
      await using fixture = await openTopic();
      for (const write of [correlation, sql]) {
        expect((await fixture.put(write(entry(type, text)))).status).toBe(201);
        for (const value of await fixture.valuesIn()) expect(value).toEqual([type, text]);
        expect(await fixture.matches({ k: equal })).toBe(true);
        expect(await fixture.matches({ k: other })).toBe(false);
        await fixture.broker.deleteRule("events", "all", "typed");
      }
    },
  );

  it("has times of seven digits, which differ from the rounded one", async () => {
    await using fixture = await openTopic();
    const text = "2026-01-02T03:04:05.1234567Z";
    await fixture.put(correlation(entry("dateTime", text)));
    expect(await fixture.valuesIn()).toEqual([["dateTime", text]]);
    expect(await fixture.matches({ k: time })).toBe(false);
  });

  it.each([
    ["int", "five"],
    ["double", "much"],
    ["dateTime", "yesterday"],
    ["duration", "an hour"],
  ])("is refused if its text is not of its type: %s %s", async (type, text) => {
    await using fixture = await openTopic();
    expect((await fixture.put(correlation(entry(type, text)))).status).toBe(400);
  });

  it("keeps the type of integers over AMQP", async () => {
    await using fixture = await openTopic();
    await using client = await connectRaw(fixture.server, {
      mechanism: "PLAIN",
      initialResponse: Buffer.from(`\0${rootKey.name}\0${rootKey.key}`),
    });
    const rules = await client.management("events/Subscriptions/all");
    const request = stringMap({
      "rule-name": "typed",
      "rule-description": stringMap({
        "correlation-filter": stringMap({ properties: stringMap({ k: long(7n), d: 3 }) }),
      }),
    });
    await rules.call("com.microsoft:add-rule", request);
    expect(await fixture.valuesIn()).toEqual([
      ["long", "7"],
      ["double", "3"],
    ]);
  });
});
