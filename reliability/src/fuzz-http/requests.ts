/** A request in its parts, each of which can be mutated alone. */
export interface SampleRequest {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const atom = "http://www.w3.org/2005/Atom";
const connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const instance = "http://www.w3.org/2001/XMLSchema-instance";
const token = "00000000-0000-4000-8000-000000000000";

const entry = (description: string) =>
  `<?xml version="1.0" encoding="utf-8"?><entry xmlns="${atom}"><content type="application/xml">${description}</content></entry>`;
const described = (name: string, content: string) =>
  entry(`<${name} xmlns="${connect}" xmlns:i="${instance}">${content}</${name}>`);

const rule =
  '<Filter i:type="CorrelationFilter"><CorrelationId>c</CorrelationId><Properties><KeyValueOfstringanyType><Key>k</Key>' +
  '<Value i:type="l28:double" xmlns:l28="http://www.w3.org/2001/XMLSchema">5</Value></KeyValueOfstringanyType></Properties></Filter>' +
  '<Action i:type="SqlRuleAction"><SqlExpression>SET a = 1</SqlExpression></Action><Name>r</Name>';
const batch =
  '[{"Body":"a","BrokerProperties":{"Label":"x","TimeToLiveTimeSpan":"1.02:03:04"},"UserProperties":{"P":1,"Q":{"$binary":"AA=="}}}]';
const brokerProperties =
  '{"MessageId":"m","Label":"l","TimeToLive":10,"ScheduledEnqueueTimeUtc":"Sun, 06 Nov 1994 08:49:37 GMT","SessionId":"s","PartitionKey":"s"}';

/** Requests of every kind that the server answers, and of some that it refuses. */
export const samples: readonly SampleRequest[] = [
  request(
    "PUT /fuzzed/queue?api-version=2021-05",
    described(
      "QueueDescription",
      "<LockDuration>PT1M</LockDuration><MaxDeliveryCount>5</MaxDeliveryCount><ForwardTo>sb://h/orders</ForwardTo>",
    ),
  ),
  request(
    "PUT /orders?api-version=2021-05",
    described("QueueDescription", "<MaxDeliveryCount>5</MaxDeliveryCount>"),
    ["If-Match: *"],
  ),
  request(
    "PUT /fuzzed-topic",
    described("TopicDescription", "<DefaultMessageTimeToLive>P1DT2H3M4.5S</DefaultMessageTimeToLive>"),
  ),
  request(
    "PUT /events/Subscriptions/fuzzed",
    described("SubscriptionDescription", `<DefaultRuleDescription>${rule}</DefaultRuleDescription>`),
  ),
  request("PUT /events/Subscriptions/odd/Rules/fuzzed", described("RuleDescription", rule)),
  request("GET /$Resources/Queues?$skip=0&$top=1"),
  request("GET /events/Subscriptions/odd/Rules/?$skip=0&$top=100"),
  request("GET /$namespaceinfo?api-version=2021-05"),
  request("DELETE /fuzzed-topic"),
  request("DELETE /fuzzed/queue"),
  request("POST /orders/messages", "hello", [
    `BrokerProperties: ${brokerProperties}`,
    'Priority: "High"',
    "Count: 5",
    'UserProperties: {"a b":1}',
  ]),
  request("POST /orders/messages", batch, ["Content-Type: application/vnd.microsoft.servicebus.json"]),
  request("POST /orders/messages/head?timeout=0"),
  request("DELETE /events/subscriptions/odd/$DeadLetterQueue/messages/head?timeout=0"),
  request(`PUT /orders/messages/1/${token}`),
  request("POST /$waybill/purge/orders"),
  request("GET /health"),
  request("GET /$servicebus/websocket", "", [
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol: AMQPWSB10",
  ]),
  request(
    "PUT /bomb",
    `<!DOCTYPE a [<!ENTITY b "${"c".repeat(50)}"><!ENTITY d "&b;&b;&b;&b;">]><entry><content>&d;&d;</content></entry>`,
  ),
  request("GET /../../etc/passwd"),
  request("GET /%2e%2e/%2e%2e/etc/passwd"),
  request("GET /orders%00/../x"),
];

/** The bytes of a request; its length is always that of its body. */
export function toBytes({ line, headers, body }: SampleRequest): Buffer {
  const length = Buffer.byteLength(body, "latin1");
  const head = [`${line} HTTP/1.1`, "Host: localhost", ...headers, `Content-Length: ${length}`, "", ""].join(
    "\r\n",
  );
  return Buffer.from(head + body, "latin1");
}

function request(line: string, body = "", headers: readonly string[] = []): SampleRequest {
  return { line, headers, body };
}
