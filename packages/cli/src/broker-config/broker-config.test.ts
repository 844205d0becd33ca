import { createBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { applyConfig } from "./apply-config.js";
import { parseBrokerConfig } from "./broker-config.js";

const rules = { emulatorDefaults: false, warn: () => {} };
const read = (text: string, options: Partial<typeof rules> = {}) =>
  parseBrokerConfig(text, "Config.json", { ...rules, ...options });

/** A configuration file of the official emulator. */
const shop = `{
  // Comments, trailing commas and any letter case are allowed.
  "UserConfig": {
    "Namespaces": [{
      "Name": "sbemulatorns",
      "Queues": [
        { "Name": "orders", "Properties": {
          "DeadLetteringOnMessageExpiration": true, "DefaultMessageTimeToLive": "PT1H", "DuplicateDetectionHistoryTimeWindow": "PT20S",
          "ForwardDeadLetteredMessagesTo": "failures", "ForwardTo": "", "LockDuration": "PT30S", "MaxDeliveryCount": 3,
          "RequiresDuplicateDetection": true, "RequiresSession": true, } },
        { "name": "failures" },
      ],
      "Topics": [{
        "Name": "events",
        "Properties": { "DefaultMessageTimeToLive": "P1DT2H3M4.5S" },
        "Subscriptions": [
          { "Name": "all" },
          { "Name": "some", "Properties": { "ForwardTo": "failures", "status": "ReceiveDisabled" }, "Rules": [
            { "Name": "labelled", "Properties": { "FilterType": "Correlation", "CorrelationFilter": {
              "Label": "placed", "Properties": { "count": 5, "ratio": 0.5, "flag": true } } } },
            { "Name": "large", "Properties": { "FilterType": "Sql",
              "SqlFilter": { "SqlExpression": "amount > 100" }, "Action": { "SqlExpression": "SET big = true" } } }
          ] }
        ]
      }]
    }],
    "Logging": { "Type": "File" }
  }
}`;

describe("a configuration of the official emulator", () => {
  it("becomes the entities of a broker", async () => {
    await using broker = createBroker();
    for (const namespace of read(shop)) await applyConfig(broker, namespace);
    expect(broker.listEntities().map(({ path }) => path)).toEqual([
      "orders",
      "failures",
      "events",
      "events/Subscriptions/all",
      "events/Subscriptions/some",
    ]);
    expect(broker.getEntity("orders").options).toMatchObject({
      deadLetteringOnMessageExpiration: true,
      defaultMessageTimeToLiveMs: 3_600_000,
      forwardDeadLetteredMessagesTo: "failures",
      forwardTo: undefined,
      lockDurationMs: 30_000,
      maxDeliveryCount: 3,
      requiresDuplicateDetection: true,
      requiresSession: true,
    });
    expect(broker.getEntity("events").options.defaultMessageTimeToLiveMs).toBe(93_784_500);
    expect(broker.getEntity("events/Subscriptions/some").options).toMatchObject({
      status: "ReceiveDisabled",
      forwardTo: "failures",
    });
    expect(broker.listRules("events", "all").map(({ name }) => name)).toEqual(["$Default"]);
    expect(broker.listRules("events", "some")).toMatchObject([
      {
        name: "labelled",
        filter: {
          type: "correlation",
          subject: "placed",
          properties: new Map<string, unknown>([
            ["count", 5n],
            ["ratio", 0.5],
            ["flag", true],
          ]),
        },
      },
      { name: "large", filter: { expression: "amount > 100" }, action: { expression: "SET big = true" } },
    ]);
  });

  it("updates its entities in a data directory, and does not change others", async () => {
    await using broker = createBroker();
    await broker.createQueue("kept");
    const [before] = read(shop);
    const [after] = read(shop.replace('"PT30S"', '"PT10S"').replace('"Name": "large"', '"Name": "huge"'));
    if (before !== undefined) await applyConfig(broker, before);
    if (after !== undefined) await applyConfig(broker, after);
    expect(broker.getEntity("orders").options).toMatchObject({ lockDurationMs: 10_000 });
    expect(broker.listRules("events", "some").map(({ name }) => name)).toEqual(["huge", "labelled"]);
    expect(broker.getEntity("kept").kind).toBe("queue");
  });

  it("uses Azure's defaults, or the emulator's with --emulator-defaults", () => {
    const text = '{"Namespaces":[{"Queues":[{"Name":"q"}]}]}';
    expect(read(text)).toEqual([
      { name: "sbemulatorns", queues: [{ name: "q", properties: {} }], topics: [] },
    ]);
    expect(read(text, { emulatorDefaults: true })[0]?.queues[0]?.properties).toEqual({
      defaultMessageTimeToLiveMs: 3_600_000,
      duplicateDetectionHistoryTimeWindowMs: 20_000,
      maxDeliveryCount: 3,
    });
  });

  it("warns of unknown keys, and of windows that are too short", () => {
    const warnings: string[] = [];
    const properties = '{"Colour":"red","LokDuration":"PT1M","DuplicateDetectionHistoryTimeWindow":"PT5S"}';
    const text = `{"Namespaces":[{"Queues":[{"Name":"q","Properties":${properties}}]}]}`;
    const [namespace] = read(text, { warn: (warning: string) => void warnings.push(warning) } as never);
    expect(namespace?.queues[0]?.properties).toEqual({ duplicateDetectionHistoryTimeWindowMs: 20_000 });
    expect(warnings).toEqual([
      "Namespaces[0].Queues[0].Properties.Colour is unknown and ignored.",
      "Namespaces[0].Queues[0].Properties.LokDuration is unknown and ignored; did you mean LockDuration?",
      "Namespaces[0].Queues[0].Properties.DuplicateDetectionHistoryTimeWindow is below the minimum of Service Bus: it becomes 20 seconds.",
    ]);
  });

  it.each([
    ['{"Namespaces":[', "Config.json:1: this is not JSON (CloseBracketExpected)."],
    ["[1]", "must be an object"],
    ["{}", "Config.json must have UserConfig.Namespaces with a namespace."],
    ['{"Namespaces":[{"Queues":{}}]}', "Config.json: Namespaces[0].Queues must be an array."],
    ['{"Namespaces":[{"Queues":[{}]}]}', "Config.json: Namespaces[0].Queues[0].Name must be text."],
    [
      '{"Namespaces":[{"Queues":[{"Name":"q","Properties":{"LockDuration":"1m"}}]}]}',
      "Namespaces[0].Queues[0].Properties.LockDuration must be an ISO 8601 duration such as PT1M.",
    ],
  ])("reports the problem and its path: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
