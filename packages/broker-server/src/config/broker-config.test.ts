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

  it("warns of windows that are too short", () => {
    const warnings: string[] = [];
    const properties = '{"DuplicateDetectionHistoryTimeWindow":"PT5S"}';
    const text = `{"Namespaces":[{"Queues":[{"Name":"q","Properties":${properties}}]}]}`;
    const [namespace] = read(text, { warn: (warning: string) => void warnings.push(warning) } as never);
    expect(namespace?.queues[0]?.properties).toEqual({ duplicateDetectionHistoryTimeWindowMs: 20_000 });
    expect(warnings).toEqual([
      "Namespaces[0].Queues[0].Properties.DuplicateDetectionHistoryTimeWindow is below the minimum of Service Bus: it becomes 20 seconds.",
    ]);
  });

  it("keeps the types of values of rules", async () => {
    const typed = (type: string, value: string) => ({ type, value });
    const rules = [
      {
        Name: "correlated",
        Properties: {
          FilterType: "Correlation",
          CorrelationFilter: {
            Properties: {
              placed: typed("dateTime", "2026-01-02T03:04:05.1234567Z"),
              large: typed("long", "9007199254740993"),
              waited: typed("duration", "P1DT2H3M"),
            },
          },
        },
      },
      {
        Name: "sql",
        Properties: {
          FilterType: "Sql",
          SqlFilter: {
            SqlExpression: "placed > @since",
            Parameters: { "@since": typed("dateTime", "2026-01-02T03:04:05Z") },
          },
          Action: { SqlExpression: "SET n = @n", Parameters: { "@n": 5 } },
        },
      },
    ];
    const Topics = [{ Name: "events", Subscriptions: [{ Name: "some", Rules: rules }] }];
    await using broker = createBroker();
    for (const namespace of read(JSON.stringify({ Namespaces: [{ Topics }] })))
      await applyConfig(broker, namespace);
    const ticks = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5)) * 10_000n;
    expect(broker.listRules("events", "some")).toMatchObject([
      {
        filter: {
          properties: new Map<string, unknown>([
            [
              "placed",
              {
                type: "typed",
                schemaType: "dateTime",
                text: "2026-01-02T03:04:05.1234567Z",
                value: { type: "instant", ticks: ticks + 1_234_567n },
              },
            ],
            [
              "large",
              { type: "typed", schemaType: "long", text: "9007199254740993", value: 9007199254740993n },
            ],
            [
              "waited",
              {
                type: "typed",
                schemaType: "duration",
                text: "P1DT2H3M",
                value: { type: "timespan", ticks: 937_800_000_000n },
              },
            ],
          ]),
        },
      },
      {
        filter: { parameters: { "@since": { schemaType: "dateTime", value: { type: "instant", ticks } } } },
        action: { expression: "SET n = @n", parameters: { "@n": 5n } },
      },
    ]);
  });

  const queueWith = (properties: string) =>
    `{"Namespaces":[{"Queues":[{"Name":"q","Properties":${properties}}]}]}`;
  const ruleWith = (properties: string) =>
    `{"Namespaces":[{"Topics":[{"Name":"t","Subscriptions":[{"Name":"s","Rules":[{"Name":"r","Properties":${properties}}]}]}]}]}`;
  const inRule = "Config.json: Namespaces[0].Topics[0].Subscriptions[0].Rules[0].Properties";

  it.each([
    ['{"UserConfg":{"Namespaces":[]}}', "Config.json: UserConfg is unknown; did you mean UserConfig?"],
    [
      '{"UserConfig":{"Namespace":[]}}',
      "Config.json: UserConfig.Namespace is unknown; did you mean Namespaces?",
    ],
    [
      '{"Namespaces":[{"Queus":[{"Name":"q"}]}]}',
      "Config.json: Namespaces[0].Queus is unknown; did you mean Queues?",
    ],
    [
      '{"Namespaces":[{"Queues":[{"Name":"q","Propertys":{}}]}]}',
      "Queues[0].Propertys is unknown; did you mean Properties?",
    ],
    [
      '{"Namespaces":[{"Topics":[{"Name":"t","Subscription":[]}]}]}',
      "Topics[0].Subscription is unknown; did you mean Subscriptions?",
    ],
    [
      '{"Namespaces":[{"Topics":[{"Name":"t","Subscriptions":[{"Name":"s","Rule":[]}]}]}]}',
      "Subscriptions[0].Rule is unknown; did you mean Rules?",
    ],
    [queueWith('{"Colour":"red"}'), "Queues[0].Properties.Colour is unknown; known are "],
    [
      queueWith('{"LokDuration":"PT1M"}'),
      "Queues[0].Properties.LokDuration is unknown; did you mean LockDuration?",
    ],
    [
      ruleWith('{"FilterType":"Sql","SqlFilters":{}}'),
      `${inRule}.SqlFilters is unknown; did you mean SqlFilter?`,
    ],
    [
      ruleWith('{"FilterType":"Sql","SqlFilter":{"SqlExpression":"a=1","Parameter":{}}}'),
      `${inRule}.SqlFilter.Parameter is unknown; did you mean Parameters?`,
    ],
    [
      ruleWith('{"FilterType":"Correlation","CorrelationFilter":{"Subject":"x"}}'),
      `${inRule}.CorrelationFilter.Subject is unknown; known are ContentType, CorrelationId, Label, `,
    ],
    [
      ruleWith('{"FilterType":"Sql","SqlFilter":{"SqlExpression":"a=1"},"CorrelationFilter":{"Label":"x"}}'),
      `${inRule} must be one with a SqlFilter only.`,
    ],
    [
      queueWith('{"AuthorizationRules":[{"KeyNam":"a"}]}'),
      "AuthorizationRules[0].KeyNam is unknown; did you mean KeyName?",
    ],
  ])("refuses a key that would be lost: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    [queueWith('{"MaxDeliveryCount":"3"}'), "Properties.MaxDeliveryCount must be a number, without quotes."],
    [
      queueWith('{"RequiresSession":"true"}'),
      "Properties.RequiresSession must be true or false, without quotes.",
    ],
    [queueWith('{"RequiresSession":1}'), "Properties.RequiresSession must be true or false."],
    [queueWith('{"ForwardTo":5}'), "Properties.ForwardTo must be text."],
    [
      ruleWith(
        '{"FilterType":"Sql","SqlFilter":{"SqlExpression":"a=@a","Parameters":{"@a":{"type":"long","value":"many"}}}}',
      ),
      `${inRule}.SqlFilter.Parameters.@a must be a value of its type: The text is not the integer that its type says.`,
    ],
    [
      '{"Namespaces":[{"Name":"../.."}]}',
      "Namespaces[0].Name must be letters, digits and hyphens, with a letter first.",
    ],
    ['{"Namespaces":[{"Name":"a"},{"Name":"A"}]}', "Config.json: two namespaces have the same Name."],
    [
      '{"Namespaces":[{"Queues":[{"Name":"q"}],"Topics":[{"Name":"Q"}]}]}',
      "Config.json: Namespaces[0].Topics[0] must be one with a name of its own: 'Q' is another one, too.",
    ],
    [
      '{"Namespaces":[{"Topics":[{"Name":"t","Subscriptions":[{"Name":"s"},{"Name":"S"}]}]}]}',
      "Config.json: Namespaces[0].Topics[0].Subscriptions[1] must be one with a name of its own",
    ],
    [
      '{"Namespaces":[{"Queues":[{"Name":"a"}],\n"Queues":[{"Name":"b"}]}]}',
      'Config.json:2: an object has the key "Queues" twice.',
    ],
    ['{"Namespaces":[{"Queues":[],"queues":[]}]}', "Config.json: Namespaces[0].queues is there twice."],
  ])("refuses a value of another kind: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it("names who forwards to what does not exist, and creates nothing", async () => {
    const Queues = [
      { Name: "orders", Properties: { ForwardDeadLetteredMessagesTo: "failurs" } },
      { Name: "failures" },
    ];
    await using broker = createBroker();
    const [namespace] = read(JSON.stringify({ Namespaces: [{ Queues }] }));
    await expect(applyConfig(broker, namespace!)).rejects.toThrow(
      "ForwardDeadLetteredMessagesTo of 'orders' is 'failurs', which does not exist. Did you mean 'failures'?",
    );
    expect(broker.listEntities()).toEqual([]);
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
