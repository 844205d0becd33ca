import { describe, expect, it } from "vitest";
import type { SharedAccessKey } from "../../index.js";
import { entryOf, openHttp, rootKey, tokenOf } from "../http.test-support.js";

/**
 * Requests of the management tests of Azure's SDK for Python, with what the service answered them, restated from the recordings that come
 * with those tests: status, text up to the tracking id, the elements of the description in their order, and some of their values.
 */
interface Recorded {
  readonly request: string;
  readonly body?: string;
  readonly isUpdate?: true;
  /** The entity for which the request carries the tokens for forwarding. */
  readonly forwardsTo?: string;
  readonly key?: SharedAccessKey;
  readonly status: number;
  readonly detail?: string;
  readonly elements?: readonly string[];
  readonly contains?: readonly string[];
}

const moreEntities = "To know more visit https://aka.ms/sbResourceMgrExceptions.";
const never = "P10675199DT2H48M5.4775807S";
/** What Python's client makes of it. */
const pythonsNever = "P10675199DT2H48M5.477539S";

const words = (text: string): string[] => text.split(/\s+/);
const queueWritten =
  words(`LockDuration MaxSizeInMegabytes RequiresDuplicateDetection RequiresSession DefaultMessageTimeToLive
  DeadLetteringOnMessageExpiration DuplicateDetectionHistoryTimeWindow MaxDeliveryCount EnableBatchedOperations SizeInBytes MessageCount
  IsAnonymousAccessible AuthorizationRules Status CreatedAt UpdatedAt SupportOrdering AutoDeleteOnIdle EnablePartitioning
  EntityAvailabilityStatus EnableExpress`);
const topicWritten =
  words(`DefaultMessageTimeToLive MaxSizeInMegabytes RequiresDuplicateDetection DuplicateDetectionHistoryTimeWindow
  EnableBatchedOperations SizeInBytes FilteringMessagesBeforePublishing IsAnonymousAccessible AuthorizationRules Status CreatedAt UpdatedAt
  SupportOrdering AutoDeleteOnIdle EnablePartitioning EntityAvailabilityStatus EnableSubscriptionPartitioning EnableExpress`);
const subscriptionWritten =
  words(`LockDuration RequiresSession DefaultMessageTimeToLive DeadLetteringOnMessageExpiration
  DeadLetteringOnFilterEvaluationExceptions MessageCount MaxDeliveryCount EnableBatchedOperations Status CreatedAt UpdatedAt AccessedAt
  AutoDeleteOnIdle EntityAvailabilityStatus`);
const ruleElements = words("Filter Action CreatedAt Name");
const after = (elements: readonly string[], name: string, ...more: readonly string[]): string[] =>
  elements.flatMap((element) => (element === name ? [element, ...more] : [element]));
const queueRead = after(after(queueWritten, "UpdatedAt", "AccessedAt"), "SupportOrdering", "CountDetails");
const topicRead = after(
  after(topicWritten, "UpdatedAt", "AccessedAt"),
  "SupportOrdering",
  "CountDetails",
  "SubscriptionCount",
);
const subscriptionRead = after(subscriptionWritten, "AccessedAt", "CountDetails");
const since2021 = (elements: readonly string[]): string[] => [...elements, "MaxMessageSizeInKilobytes"];

const queue = (members = ""): string => entryOf("QueueDescription", members);
const topic = (members = ""): string => entryOf("TopicDescription", members);
const subscription = (members = ""): string => entryOf("SubscriptionDescription", members);
const rule = (members: string): string => entryOf("RuleDescription", members);
const sql = "<SqlExpression>Priority = 'low'</SqlExpression><CompatibilityLevel>20</CompatibilityLevel>";
const sqlRule = rule(
  `<Filter i:type="SqlFilter">${sql}</Filter><Action i:type="EmptyRuleAction" /><Name>rule</Name>`,
);
const typed = (key: string, type: string, text: string): string =>
  `<KeyValueOfstringanyType><Key>${key}</Key><Value xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:${type}">${text}</Value></KeyValueOfstringanyType>`;
const typedRule = rule(
  `<Filter i:type="CorrelationFilter"><CorrelationId>testcid</CorrelationId><Properties>${[
    typed("key_string", "string", "str1"),
    typed("key_int", "int", "2"),
    typed("key_long", "long", "2147483650"),
    typed("key_bool", "boolean", "false"),
    typed("key_datetime", "dateTime", "2020-07-05T11:12:13"),
    typed("key_duration", "duration", "P1DT2H3M"),
  ].join(
    "",
  )}</Properties></Filter><Action i:type="SqlRuleAction"><SqlExpression>SET Priority = @param</SqlExpression>` +
    `<CompatibilityLevel>20</CompatibilityLevel><Parameters>${typed("@param", "dateTime", "2020-07-05T11:12:13")}</Parameters></Action>` +
    "<Name>test_rule_1</Name>",
);

/** The answer to a type and its text: the attributes come in .NET's order. */
const echoed = (type: string, text: string, namespace = "http://www.w3.org/2001/XMLSchema"): string =>
  `<Value i:type="d6p1:${type}" xmlns:d6p1="${namespace}">${text}</Value>`;
const typedEchoes = [
  echoed("string", "str1"),
  echoed("int", "2"),
  echoed("long", "2147483650"),
  echoed("boolean", "false"),
  echoed("dateTime", "2020-07-05T11:12:13"),
  echoed("duration", "P1DT2H3M", "http://schemas.microsoft.com/2003/10/Serialization/"),
];

const v2017 = "?api-version=2017-04";
const v2021 = "?api-version=2021-05";
const createdQueue = { body: queue(), status: 201, elements: queueWritten };
const createdTopic = { body: topic(), status: 201, elements: topicWritten };
const createdSubscription = { body: subscription(), status: 201, elements: subscriptionWritten };
const deleted = { status: 200 };
const nothing = { status: 200, contains: ["Publicly Listed Services"] };
const notHosted = { status: 404, detail: "No service is hosted at the specified address." };
const conflict = `SubCode=40900. Conflict. You're requesting an operation that isn't allowed in the resource's current state. ${moreEntities} .`;
const noOperation = `SubCode=40400. Not Found. The Operation doesn't exist. ${moreEntities} .`;
const page = "$skip=0&$top=100";
const refusedPage = (name: string) => ({
  status: 400,
  detail: `Parameter '${name}' should be non-negative integer.\r\nParameter name: ${name}.`,
});
const tooLong = `The supplied lock time exceeds the allowed maximum of '5' minutes. ${moreEntities} \r\nParameter name: LockDuration\r\nActual value was 25.00:00:00.`;
const refusedSize = (kilobytes: number) => ({
  body: queue(`<MaxMessageSizeInKilobytes>${kilobytes}</MaxMessageSizeInKilobytes>`),
  status: 400,
  detail:
    "SubCode=40000. The property value for 'MaxMessageSizeInKilobytes' must be between 1024 and 102400 when the namespace " +
    `'sbname' is using 'Premium' tier.\r\nParameter name: MaxMessageSizeInKilobytes\r\nActual value was ${kilobytes}.`,
});

const standard: Readonly<Record<string, readonly Recorded[]>> = {
  "queue, created twice": [
    { request: `GET /$Resources/queues?${page}&api-version=2017-04`, status: 200, contains: [">Queues<"] },
    { request: `PUT /rtofdk${v2017}`, ...createdQueue },
    { request: `PUT /rtofdk${v2017}`, body: queue(), status: 409, detail: conflict },
    { request: `PUT /RTOFDK${v2017}`, body: queue(), status: 409, detail: conflict },
    { request: `DELETE /rtofdk${v2017}`, ...deleted },
  ],
  "queue, deleted twice, and one that never existed": [
    { request: `PUT /test_queue${v2017}`, ...createdQueue },
    {
      request: `GET /$Resources/queues?${page}&api-version=2017-04`,
      status: 200,
      elements: queueRead,
      contains: ["<id>", "/test_queue?api-version=2017-04"],
    },
    { request: `DELETE /test_queue${v2017}`, ...deleted },
    { request: `DELETE /test_queue${v2017}`, ...notHosted },
    { request: `DELETE /non_existing_queue${v2017}`, ...notHosted },
    { request: `GET /non_existing_queue?enrich=false&api-version=2021-05`, ...nothing },
  ],
  "queue, updated with invalid values": [
    { request: `PUT /dfjfj${v2017}`, ...createdQueue },
    {
      request: `PUT /dfjfj${v2017}`,
      body: queue("<RequiresSession>true</RequiresSession>"),
      isUpdate: true,
      status: 400,
      detail: `SubCode=40000. The value for the RequiresSession property of an existing Queue cannot be changed. ${moreEntities} .`,
    },
    { request: `PUT /iewdm${v2017}`, body: queue(), isUpdate: true, status: 404, detail: noOperation },
    {
      request: `PUT /dfjfj${v2017}`,
      body: queue("<LockDuration>P25D</LockDuration>"),
      isUpdate: true,
      status: 400,
      detail: `SubCode=40000. ${tooLong}`,
    },
  ],
  "queues, listed with negative numbers": [
    { request: `GET /$Resources/queues?$skip=-1&$top=100&api-version=2017-04`, ...refusedPage("skip") },
    { request: `GET /$Resources/queues?$skip=0&$top=-1&api-version=2017-04`, ...refusedPage("top") },
    { request: `GET /$Resources/queues?$skip=-1&$top=-1&api-version=2017-04`, ...refusedPage("skip") },
    { request: `PUT /test_resource${v2017}`, ...createdQueue },
    { request: `GET /$Resources/queues?$skip=0&$top=0&api-version=2017-04`, status: 200, elements: [] },
  ],
  "queues, listed with wrong credentials": (["name", "key"] as const).map((part) => ({
    request: `GET /$Resources/queues?${page}&api-version=2021-05`,
    key: { ...rootKey, [part]: "invalid" },
    status: 401,
    detail: "claim is empty or token is invalid.",
  })),
  "queue, with special characters in its name": [
    { request: `PUT /txt%2F.-_123${v2017}`, ...createdQueue },
    {
      request: `GET /$Resources/queues?${page}&api-version=2017-04`,
      status: 200,
      elements: queueRead,
      contains: ['<title type="text">txt/.-_123</title>'],
    },
  ],
  "queue, updated": [
    { request: `PUT /fjrui${v2017}`, ...createdQueue },
    { request: `PUT /sagho${v2017}`, ...createdTopic },
    {
      request: `PUT /fjrui${v2017}`,
      body: queue(
        `<LockDuration>PT2M</LockDuration><DefaultMessageTimeToLive>${pythonsNever}</DefaultMessageTimeToLive><AuthorizationRules /><AutoDeleteOnIdle>${pythonsNever}</AutoDeleteOnIdle>`,
      ),
      isUpdate: true,
      status: 200,
      elements: queueWritten,
      contains: [
        "<LockDuration>PT2M</LockDuration>",
        `<DefaultMessageTimeToLive>${pythonsNever}</DefaultMessageTimeToLive>`,
        `<AutoDeleteOnIdle>${pythonsNever}</AutoDeleteOnIdle>`,
      ],
    },
    {
      request: `GET /fjrui?enrich=false&api-version=2017-04`,
      status: 200,
      elements: queueRead,
      contains: ["<LockDuration>PT2M</LockDuration>", `<AutoDeleteOnIdle>${pythonsNever}</AutoDeleteOnIdle>`],
    },
  ],
  "queue, partitioned, with sessions": [
    {
      request: `PUT /iweidk${v2017}`,
      body: queue(
        "<LockDuration>PT13S</LockDuration><MaxSizeInMegabytes>3072</MaxSizeInMegabytes><RequiresSession>true</RequiresSession>" +
          "<DefaultMessageTimeToLive>PT11M2S</DefaultMessageTimeToLive><DuplicateDetectionHistoryTimeWindow>PT12M3S</DuplicateDetectionHistoryTimeWindow>" +
          "<MaxDeliveryCount>14</MaxDeliveryCount><AutoDeleteOnIdle>PT10M1S</AutoDeleteOnIdle><EnablePartitioning>true</EnablePartitioning>" +
          "<EnableExpress>true</EnableExpress>",
      ),
      status: 201,
      elements: queueWritten,
      contains: [
        "<MaxSizeInMegabytes>49152</MaxSizeInMegabytes>",
        "<DefaultMessageTimeToLive>PT11M2S</DefaultMessageTimeToLive>",
        "<DuplicateDetectionHistoryTimeWindow>PT12M3S</DuplicateDetectionHistoryTimeWindow>",
        "<SupportOrdering>false</SupportOrdering>",
        "<AutoDeleteOnIdle>PT10M1S</AutoDeleteOnIdle>",
        "<EnableExpress>true</EnableExpress>",
      ],
    },
    {
      request: `GET /iweidk?enrich=false&api-version=2017-04`,
      status: 200,
      elements: queueRead,
      contains: [
        "<MaxSizeInMegabytes>49152</MaxSizeInMegabytes>",
        "<SupportOrdering>false</SupportOrdering>",
      ],
    },
  ],
  "queue, with a message size of Premium": [
    {
      request: `PUT /queue${v2021}`,
      body: queue(),
      status: 201,
      elements: since2021(queueWritten),
      contains: ["<MaxMessageSizeInKilobytes>256</MaxMessageSizeInKilobytes>"],
    },
    { request: `GET /queue${v2021}`, status: 200, elements: since2021(queueRead) },
    {
      request: `PUT /famviq${v2021}`,
      body: queue("<MaxMessageSizeInKilobytes>1024</MaxMessageSizeInKilobytes>"),
      status: 400,
      detail: `SubCode=40000. Bad Request. ${moreEntities} .`,
    },
  ],
  "topic, created twice": [
    { request: `GET /$Resources/topics?${page}&api-version=2017-04`, status: 200, contains: [">Topics<"] },
    { request: `PUT /dqkodq${v2017}`, ...createdTopic },
    { request: `PUT /dqkodq${v2017}`, body: topic(), status: 409, detail: conflict },
    { request: `GET /dqkodq${v2017}`, status: 200, elements: topicRead },
    { request: `DELETE /dqkodq${v2017}`, ...deleted },
  ],
  "topic, updated with invalid values": [
    { request: `PUT /dfjfj${v2021}`, body: topic(), status: 201, elements: since2021(topicWritten) },
    { request: `PUT /iewdm${v2021}`, body: topic(), isUpdate: true, status: 404, detail: noOperation },
    {
      request: `PUT /dfjfj${v2021}`,
      body: topic("<DuplicateDetectionHistoryTimeWindow>P25D</DuplicateDetectionHistoryTimeWindow>"),
      isUpdate: true,
      status: 400,
      detail:
        "SubCode=40000. The value supplied must be between 00:00:20 and 7.00:00:00.\r\n" +
        "Parameter name: DuplicateDetectionHistoryTimeWindow\r\nActual value was 25.00:00:00.",
    },
  ],
  "subscription, created twice": [
    { request: `PUT /dqkodq${v2021}`, body: topic(), status: 201, elements: since2021(topicWritten) },
    {
      request: `PUT /dqkodq/subscriptions/kkaqo${v2021}`,
      body: subscription(),
      status: 201,
      elements: [...subscriptionWritten, "IsClientAffine"],
    },
    {
      request: `PUT /dqkodq/subscriptions/kkaqo${v2021}`,
      body: subscription(),
      status: 409,
      detail: `The messaging entity 'sbname:Topic:dqkodq|kkaqo' already exists. ${moreEntities} `,
    },
    { request: `DELETE /dqkodq/subscriptions/kkaqo${v2021}`, ...deleted },
  ],
  "subscription, updated": [
    { request: `PUT /dfjfj${v2017}`, ...createdTopic },
    { request: `PUT /dfjfj/subscriptions/kwqxc${v2017}`, ...createdSubscription },
    {
      request: `PUT /dfjfj/subscriptions/kwqxc${v2017}`,
      body: subscription("<LockDuration>PT2M</LockDuration>"),
      isUpdate: true,
      status: 200,
      elements: subscriptionWritten,
      contains: ["<LockDuration>PT2M</LockDuration>", `<AutoDeleteOnIdle>${never}</AutoDeleteOnIdle>`],
    },
    {
      request: `PUT /dfjfj/subscriptions/iewdm${v2017}`,
      body: subscription(),
      isUpdate: true,
      status: 404,
      detail: `Entity 'sbname:Topic:dfjfj|iewdm' was not found. ${moreEntities} `,
    },
    {
      request: `PUT /dfjfj/subscriptions/kwqxc${v2017}`,
      body: subscription("<LockDuration>P25D</LockDuration>"),
      isUpdate: true,
      status: 400,
      detail: tooLong,
    },
    {
      request: `GET /dfjfj/subscriptions?${page}&api-version=2017-04`,
      status: 200,
      elements: subscriptionRead,
      contains: [">Subscriptions<", ">kwqxc<"],
    },
  ],
  "subscription, with forwarding": [
    { request: `PUT /target${v2017}`, ...createdQueue },
    { request: `PUT /iweidkforward${v2017}`, ...createdTopic },
    {
      request: `PUT /iweidkforward/subscriptions/kdosakoforward${v2017}`,
      body: subscription(
        "<ForwardTo>sb://localhost/target</ForwardTo><ForwardDeadLetteredMessagesTo>sb://localhost/target</ForwardDeadLetteredMessagesTo>",
      ),
      forwardsTo: "target",
      status: 201,
      elements: after(
        after(subscriptionWritten, "Status", "ForwardTo"),
        "AccessedAt",
        "ForwardDeadLetteredMessagesTo",
      ),
    },
    {
      request: `GET /iweidkforward/subscriptions/kdosakoforward${v2017}`,
      status: 200,
      elements: after(
        after(subscriptionRead, "Status", "ForwardTo"),
        "CountDetails",
        "ForwardDeadLetteredMessagesTo",
      ),
    },
  ],
  "rule, created twice and updated": [
    { request: `PUT /fjrui${v2017}`, ...createdTopic },
    { request: `PUT /fjrui/subscriptions/eqkovc${v2017}`, ...createdSubscription },
    {
      request: `PUT /fjrui/subscriptions/eqkovc/rules/rule${v2017}`,
      body: sqlRule,
      status: 201,
      elements: ruleElements,
    },
    {
      request: `PUT /fjrui/subscriptions/eqkovc/rules/rule${v2017}`,
      body: sqlRule,
      status: 409,
      detail: `The messaging entity 'sbname:Topic:fjrui|eqkovc|rule' already exists. ${moreEntities} `,
    },
    {
      request: `PUT /fjrui/subscriptions/eqkovc/rules/iewdm${v2017}`,
      body: sqlRule,
      isUpdate: true,
      status: 404,
      detail: `Entity 'sbname:Topic:fjrui|eqkovc|iewdm' was not found. ${moreEntities} `,
    },
    {
      request: `GET /fjrui/subscriptions/eqkovc/rules/rule?enrich=false&api-version=2017-04`,
      status: 200,
      elements: ruleElements,
    },
    { request: `DELETE /fjrui/subscriptions/eqkovc/rules/rule${v2017}`, ...deleted },
  ],
  "rule, with typed values": [
    { request: `PUT /topic_testaddf${v2017}`, ...createdTopic },
    { request: `PUT /topic_testaddf/subscriptions/sub_testkkk${v2017}`, ...createdSubscription },
    {
      request: `PUT /topic_testaddf/subscriptions/sub_testkkk/rules/test_rule_1${v2017}`,
      body: typedRule,
      status: 201,
      elements: ruleElements,
      contains: typedEchoes,
    },
    {
      request: `GET /topic_testaddf/subscriptions/sub_testkkk/rules/test_rule_1${v2017}`,
      status: 200,
      elements: ruleElements,
      contains: typedEchoes,
    },
  ],
  namespace: [
    {
      request: `GET /$namespaceinfo${v2017}`,
      status: 200,
      elements: words("CreatedTime MessagingSKU ModifiedTime Name NamespaceType"),
      contains: ["<MessagingSKU>Standard</MessagingSKU>", "<Name>sbname</Name>"],
    },
  ],
};

const premium: Readonly<Record<string, readonly Recorded[]>> = {
  "queue, with message sizes of its own": [
    {
      request: `PUT /iweidk${v2021}`,
      body: queue("<MaxMessageSizeInKilobytes>12345</MaxMessageSizeInKilobytes>"),
      status: 201,
      elements: since2021(queueWritten),
      contains: ["<MaxMessageSizeInKilobytes>12345</MaxMessageSizeInKilobytes>"],
    },
    {
      request: `PUT /cpqmva${v2021}`,
      body: queue("<MaxSizeInMegabytes>3072</MaxSizeInMegabytes>"),
      status: 201,
      elements: since2021(queueWritten),
      contains: ["<MaxMessageSizeInKilobytes>1024</MaxMessageSizeInKilobytes>"],
    },
    { request: `PUT /rekocd${v2021}`, ...refusedSize(1023) },
    { request: `PUT /rekocd${v2021}`, ...refusedSize(102_401) },
    { request: `GET /iweidk?enrich=false&api-version=2021-05`, status: 200, elements: since2021(queueRead) },
  ],
};

/** The elements of the first description in an answer, without their content. */
function elementsIn(body: string): string[] {
  const [, , content = ""] = /<(\w+Description|NamespaceInfo) [^>]*>(.*?)<\/\1>/s.exec(body) ?? [];
  const names: string[] = [];
  let depth = 0;
  for (const [tag, close, name = "", empty] of content.matchAll(/<(\/?)([\w:]+)[^<>]*?(\/?)>/g)) {
    expect(tag).not.toBe("");
    if (close === "/") depth--;
    else {
      if (depth === 0) names.push(name);
      if (empty !== "/") depth++;
    }
  }
  return names;
}

describe.each([
  ["standard", standard],
  ["premium", premium],
] as const)("the recorded answers of a namespace of the %s tier", (tier, recordings) => {
  it.each(Object.entries(recordings))("agree: %s", async (_name, exchanges) => {
    await using fixture = await openHttp([], { tier }, { namespace: "sbname" });
    for (const exchange of exchanges) {
      const {
        request,
        body,
        isUpdate,
        forwardsTo,
        key,
        status,
        detail = "",
        elements,
        contains = [],
      } = exchange;
      const [method = "", path = ""] = request.split(" ");
      const token = tokenOf(rootKey, `sb://localhost/${forwardsTo}`);
      const answer = await fixture.ask(method, path, {
        ...(body !== undefined && { body }),
        headers: {
          ...(isUpdate && { "if-match": "*" }),
          ...(forwardsTo !== undefined && {
            ServiceBusSupplementaryAuthorization: token,
            ServiceBusDlqSupplementaryAuthorization: token,
          }),
        },
        ...(key && { key }),
      });
      expect({ request, status: answer.status, detail: answer.detail }).toEqual({ request, status, detail });
      if (elements !== undefined) expect(elementsIn(answer.body)).toEqual(elements);
      for (const text of contains) expect(answer.body).toContain(text);
    }
  });
});
