import { setImmediate as turn } from "node:timers/promises";
import {
  type ArgumentsHost,
  BadRequestException,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExecutionContext,
  type INestMicroservice,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from "@nestjs/common";
import { Ctx, Payload, RpcException } from "@nestjs/microservices";
import { TerminusModule } from "@nestjs/terminus";
import { Test } from "@nestjs/testing";
import { bodyType, DeadLetterError, defineMessage, type Sender, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { openTestNamespace, type TestNamespace } from "@waybill/testing";
import { catchError, lastValueFrom, map, type Observable, tap, throwError } from "rxjs";
import { afterEach, describe, expect, it } from "vitest";
import {
  InjectSender,
  MessageHandler,
  type MessageSource,
  RequestHandler,
  UnhandledMessageHandler,
  WaybillClientProxy,
  type WaybillContext,
  WaybillModule,
  WaybillStrategy,
} from "./index.js";
import { WaybillHealthIndicator } from "./terminus.js";

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: bodyType<{ id: number }>(), 2: bodyType<{ orderId: string }>() },
  upcasters: { 1: ({ id }) => ({ orderId: `o-${id}` }) },
});
const priceAsked = defineMessage("price-asked", { version: 1, schemas: { 1: bodyType<{ item: string }>() } });
const messageTypes = [orderPlaced, priceAsked];

/** What the handlers did, newest last. */
let log: string[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  log = [];
});

/** Lets everything run that waits for nothing. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

interface Opened {
  readonly namespace: TestNamespace;
  readonly app: INestMicroservice;
  readonly client: WaybillClient<(typeof messageTypes)[number]>;
}

/** An application with these controllers on the queue `orders`, or on other sources. */
async function open(
  controllers: (new (...args: never[]) => object)[],
  sources: MessageSource[] = [{ queue: "orders" }],
): Promise<Opened> {
  const namespace = await openTestNamespace({
    queues: {
      orders: { maxDeliveryCount: 2 },
      shipments: {},
      replies: {},
      sessions: { requiresSession: true },
    },
  });
  const moduleRef = await Test.createTestingModule({
    imports: [
      WaybillModule.forRoot({
        transport: namespace.transport,
        client: { serializer: json(), messageTypes },
        onClosed: () => void log.push("closed"),
      }),
      WaybillModule.forFeature(["shipments"]),
      TerminusModule,
    ],
    providers: [WaybillHealthIndicator],
    controllers,
  }).compile();
  const client = moduleRef.get(WaybillClient);
  const strategy = new WaybillStrategy(client, {
    sources,
    processError: ({ error }) => void log.push(`error ${(error as Error).message}`),
  });
  const app = moduleRef.createNestMicroservice({ strategy, logger: false });
  await app.listen();
  closing.push(
    () => namespace.close(),
    () => app.close(),
  );
  return { namespace, app, client: namespace.createClient({ serializer: json(), messageTypes }) };
}

describe("a handler by message type", () => {
  it("gets bodies in the current version, and uses injected senders", async () => {
    @Controller()
    class Orders {
      readonly shipments: Sender;

      constructor(@InjectSender("shipments") shipments: Sender) {
        this.shipments = shipments;
      }

      @MessageHandler(orderPlaced)
      async place({ orderId }: { orderId: string }, @Ctx() context: WaybillContext) {
        log.push(`${orderId} ${context.message.deserialization.messageVersion}`);
        await this.shipments.sendMessages({ body: { orderId } });
      }
    }
    const { namespace, client } = await open([Orders]);
    const older = namespace.createClient({ serializer: json() });
    await older.createSender("orders").sendMessages({
      subject: "order-placed",
      body: { id: 7 },
      applicationProperties: { messageVersion: 1 },
    });
    await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "o-8" }));
    await namespace.settled("orders");
    expect(log).toEqual(["o-7 1", "o-8 2"]);
    expect(namespace.sent("shipments")).toHaveLength(2);
  });

  it("dead-letters and defers by its errors, and abandons after any other", async () => {
    @Controller()
    class Orders {
      @MessageHandler(orderPlaced)
      place({ orderId }: { orderId: string }, @Ctx() context: WaybillContext) {
        if (orderId === "poison")
          context.deadLetter("NoStock", "sold out", { propertiesToModify: { warehouse: "north" } });
        if (orderId === "later") context.defer();
        throw new Error("No database.");
      }
    }
    const { namespace, client } = await open([Orders]);
    const orders = ["poison", "later", "failing"].map((orderId) => orderPlaced.message({ orderId }));
    await client.createSender("orders").sendMessages(orders);
    const dead = await namespace.waitFor("deadLettered", "orders", { count: 2 });
    expect(dead.map(({ reason }) => reason)).toEqual(["NoStock", "MaxDeliveryCountExceeded"]);
    expect(log).toEqual(expect.arrayContaining(["error NoStock: sold out", "error No database."]));
    const deferred = (await client.createReceiver("orders").peekMessages(5)).map(({ state }) => state);
    expect(deferred).toEqual(["deferred"]);
  });

  it("is refused for a type that the client does not know", async () => {
    const unknown = defineMessage("unknown", { version: 1, schemas: { 1: bodyType<object>() } });
    @Controller()
    class Orders {
      @MessageHandler(unknown)
      handle(_body: object) {}
    }
    await expect(open([Orders])).rejects.toThrow(/unknown/);
  });

  it("leaves other messages to the handler of unhandled messages", async () => {
    @Controller()
    class Orders {
      @MessageHandler(orderPlaced)
      place(_order: { orderId: string }) {}

      @UnhandledMessageHandler()
      other(body: unknown) {
        log.push(`other ${JSON.stringify(body)}`);
      }
    }
    const { namespace, client } = await open([Orders]);
    await client.createSender("orders").sendMessages({ body: { plain: true } });
    await namespace.settled("orders");
    expect(log).toEqual(['other {"plain":true}']);
  });
});

describe("guards, pipes, interceptors and exception filters", () => {
  @Injectable()
  class Positive implements PipeTransform {
    transform(order: { orderId: string }) {
      if (order.orderId === "") throw new BadRequestException("An order needs an id.");
      return order;
    }
  }

  @Injectable()
  class Open implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      const { message } = context.switchToRpc().getContext<WaybillContext>();
      log.push(`guard ${message.subject}`);
      return message.applicationProperties.isBlocked !== true;
    }
  }

  @Catch(BadRequestException)
  class InvalidToDeadLetter {
    catch(error: BadRequestException, host: ArgumentsHost) {
      expect(host.getType()).toBe("rpc");
      return throwError(() => new DeadLetterError("InvalidOrder", error.message));
    }
  }

  @Controller()
  @UseGuards(Open)
  @UseFilters(InvalidToDeadLetter)
  class Orders {
    @UsePipes(Positive)
    @MessageHandler(orderPlaced)
    place({ orderId }: { orderId: string }) {
      if (orderId === "rpc") throw new RpcException("Not now.");
      log.push(orderId);
    }
  }

  it("interceptors see a message before and after its handler, change replies, and decide what an error means", async () => {
    @Injectable()
    class Watching implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        const { message } = context.switchToRpc().getContext<WaybillContext>();
        log.push(`before ${message.subject}`);
        return next.handle().pipe(
          map((reply: unknown) =>
            reply === undefined ? undefined : { ...(reply as object), currency: "EUR" },
          ),
          tap({ complete: () => void log.push(`after ${message.subject}`) }),
          catchError((error: Error) => throwError(() => new DeadLetterError("Failed", error.message))),
        );
      }
    }

    @Controller()
    @UseInterceptors(Watching)
    class Shop {
      @MessageHandler(orderPlaced)
      place({ orderId }: { orderId: string }) {
        if (orderId === "") throw new Error("An order needs an id.");
        log.push(`placed ${orderId}`);
      }

      @RequestHandler(priceAsked)
      price({ item }: { item: string }) {
        return { item, price: 7 };
      }
    }
    const { namespace, client } = await open([Shop]);
    const sender = client.createSender("orders");
    await sender.sendMessages(orderPlaced.message({ orderId: "a" }));
    await namespace.settled("orders");
    expect(log).toEqual(["before order-placed", "placed a", "after order-placed"]);
    const proxy = new WaybillClientProxy(client, { queueOrTopic: "orders", replyTo: "replies" });
    expect(await lastValueFrom(proxy.send(priceAsked, { item: "tea" }))).toEqual({
      item: "tea",
      price: 7,
      currency: "EUR",
    });
    await proxy.close();
    await sender.sendMessages(orderPlaced.message({ orderId: "" }));
    const [dead] = await namespace.waitFor("deadLettered", "orders");
    expect(dead?.reason).toBe("Failed");
    expect(log).not.toContain("placed ");
  });

  it("work on messages; a filter decides the reason of a dead letter", async () => {
    const { namespace, client } = await open([Orders]);
    await client
      .createSender("orders")
      .sendMessages([orderPlaced.message({ orderId: "a" }), orderPlaced.message({ orderId: "" })]);
    const [dead] = await namespace.waitFor("deadLettered", "orders");
    expect(dead?.reason).toBe("InvalidOrder");
    expect(log).toEqual(
      expect.arrayContaining(["guard order-placed", "a", "error InvalidOrder: An order needs an id."]),
    );
  });

  it("abandon what they refuse", async () => {
    const { namespace, client } = await open([Orders]);
    await client
      .createSender("orders")
      .sendMessages([
        orderPlaced.message({ orderId: "a" }, { applicationProperties: { isBlocked: true } }),
        orderPlaced.message({ orderId: "rpc" }),
      ]);
    const dead = await namespace.waitFor("deadLettered", "orders", { count: 2 });
    expect(dead.map(({ reason }) => reason)).toEqual([
      "MaxDeliveryCountExceeded",
      "MaxDeliveryCountExceeded",
    ]);
    expect(log).not.toContain("a");
    expect(log).toContain("error Not now.");
  });
});

describe("sessions", () => {
  it("are handled in order, with their state", async () => {
    @Controller()
    class Orders {
      @MessageHandler(orderPlaced)
      async place(@Payload() { orderId }: { orderId: string }, @Ctx() { session }: WaybillContext) {
        const seen = (await session!.getSessionState<string[]>()) ?? [];
        await session!.setSessionState([...seen, orderId]);
        log.push([...seen, orderId].join());
      }
    }
    const { namespace, client } = await open([Orders], [{ queue: "sessions", sessions: true }]);
    const message = (orderId: string) => orderPlaced.message({ orderId }, { sessionId: "customer-7" });
    await client.createSender("sessions").sendMessages([message("a"), message("b")]);
    await namespace.settled("sessions");
    expect(log).toEqual(["a", "a,b"]);
  });
});

describe("requests", () => {
  it("are answered with what the handler returns", async () => {
    @Controller()
    class Prices {
      @RequestHandler(priceAsked)
      price({ item }: { item: string }) {
        return { item, price: 7 };
      }
    }
    const { client } = await open([Prices]);
    const proxy = new WaybillClientProxy(client, { queueOrTopic: "orders", replyTo: "replies" });
    expect(await lastValueFrom(proxy.send(priceAsked, { item: "tea" }))).toEqual({ item: "tea", price: 7 });
    await proxy.close();
  });

  it("can be events, too", async () => {
    @Controller()
    class Orders {
      @MessageHandler(orderPlaced)
      place({ orderId }: { orderId: string }) {
        log.push(orderId);
      }
    }
    const { namespace, client } = await open([Orders]);
    const proxy = new WaybillClientProxy(client, { queueOrTopic: "orders" });
    await lastValueFrom(proxy.emit(orderPlaced, { orderId: "o-1" }), { defaultValue: undefined });
    await namespace.settled("orders");
    expect(log).toEqual(["o-1"]);
    await proxy.close();
  });
});

describe("the application", () => {
  let finish = () => {};

  @Controller()
  class Orders {
    @MessageHandler(orderPlaced)
    async place({ orderId }: { orderId: string }) {
      log.push(`begin ${orderId}`);
      await new Promise<void>((resolve) => (finish = resolve));
      log.push(`end ${orderId}`);
    }
  }

  it("lets running handlers finish, then closes the client, then the connection", async () => {
    const { app, client } = await open([Orders]);
    await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "a" }));
    await expect.poll(() => log.length).toBe(1);
    const closed = app.close();
    await quiet();
    expect(log).toEqual(["begin a"]);
    finish();
    await closed;
    expect(log).toEqual(["begin a", "end a", "closed"]);
    expect(app.get(WaybillClient).isClosed).toBe(true);
  });

  it("tells its health", async () => {
    const { app } = await open([Orders]);
    const indicator = app.get(WaybillHealthIndicator);
    expect(await indicator.isHealthy()).toMatchObject({
      serviceBus: { status: "up", clientStatus: "ready" },
    });
    await app.get(WaybillClient).close();
    expect(await indicator.isHealthy("bus")).toMatchObject({
      bus: { status: "down", clientStatus: "closed" },
    });
  });

  it("can make its options of injected values", async () => {
    const namespace = await openTestNamespace({ queues: ["orders"] });
    const settings = { provide: "SETTINGS", useValue: { version: "orders 1.4" } };
    const moduleRef = await Test.createTestingModule({
      imports: [
        WaybillModule.forRootAsync({
          imports: [{ module: class Settings {}, providers: [settings], exports: [settings] }],
          inject: ["SETTINGS"],
          useFactory: ({ version }: { version: string }) => ({
            transport: namespace.transport,
            client: { serializer: json(), consumerVersion: version },
          }),
        }),
      ],
    }).compile();
    expect(moduleRef.get(WaybillClient).isClosed).toBe(false);
    await moduleRef.close();
    await namespace.close();
  });
});
