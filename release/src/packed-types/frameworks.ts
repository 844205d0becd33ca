/** A framework that a package of ours is for, in one of the versions that it supports. */
export interface Framework {
  readonly name: string;
  /** Packages of ours. */
  readonly packages: readonly string[];
  readonly others: readonly string[];
  /** A program of a user's. */
  readonly source: string;
}

const nestSource = `
import { Controller, Module } from "@nestjs/common";
import { Ctx } from "@nestjs/microservices";
import { bodyType, defineMessage, type Transport, type WaybillClient } from "@waybill/core";
import { InjectSender, MessageHandler, WaybillClientProxy, type WaybillContext, WaybillModule, WaybillStrategy } from "@waybill/nestjs";
import { WaybillHealthIndicator } from "@waybill/nestjs/terminus";
import { json } from "@waybill/serializer-json";

export const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: bodyType<{ id: number }>() } });

@Controller()
export class Orders {
  constructor(@InjectSender("invoices") readonly invoices: object) {}

  @MessageHandler(orderPlaced)
  place({ id }: { id: number }, @Ctx() { message }: WaybillContext): void {
    console.log(id, message.messageId);
  }

  // @ts-expect-error The body of an order has another type.
  @MessageHandler(orderPlaced)
  mistaken(_body: { total: string }): void {}
}

export function start(transport: Transport, client: WaybillClient): WaybillStrategy {
  const root = WaybillModule.forRoot({ transport, client: { serializer: json(), messageTypes: [orderPlaced] } });
  Module({ imports: [root, WaybillModule.forFeature(["invoices"])], providers: [WaybillHealthIndicator] })(class {});
  new WaybillClientProxy(client, { queueOrTopic: "orders" }).emit(orderPlaced, { id: 1 });
  return new WaybillStrategy(client, { sources: [{ queue: "orders" }, { topic: "news", subscription: "all", sessions: true }] });
}
`;

const functionsSource = `
import { app } from "@azure/functions";
import { ServiceBusClient } from "@azure/service-bus";
import { waybillFunctions } from "@waybill/azure-functions";
import { bodyType, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";

const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: bodyType<{ id: number }>() } });
const functions = waybillFunctions({
  serializer: json(),
  messageTypes: [orderPlaced],
  serviceBusClient: () => new ServiceBusClient("x"),
});
app.serviceBusQueue(
  "orders",
  functions.serviceBusQueue(
    { connection: "ServiceBus", queueName: "orders", cardinality: "many" },
    { processMessage: { "order-placed": ({ body }, { invocation }) => invocation.log(body.id) } },
  ),
);
// @ts-expect-error There is no such message type.
functions.serviceBusQueue({ connection: "ServiceBus", queueName: "orders" }, { processMessage: { other: () => {} } });
app.hook.appTerminate(() => functions.close());
`;

function nest(major: number): Framework {
  const names = ["common", "core", "microservices", "terminus"];
  return {
    name: `Nest ${major}`,
    packages: ["nestjs", "serializer-json"],
    others: [...names.map((name) => `@nestjs/${name}@${major}`), "reflect-metadata", "rxjs@7"],
    source: nestSource,
  };
}

/** Those whose declarations do not compile under the strict settings of the other packages' consumer. */
export const frameworks: readonly Framework[] = [
  nest(11),
  nest(12),
  {
    name: "Azure Functions 4",
    packages: ["azure-functions", "serializer-json"],
    others: ["@azure/functions@4", "@azure/service-bus@7"],
    source: functionsSource,
  },
];
