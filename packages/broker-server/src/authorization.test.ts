import { createHmac } from "node:crypto";
import { stringMap } from "@waybill/amqp";
import { createBroker, createManualClock } from "@waybill/broker";
import { describe, expect, it, vi } from "vitest";
import { codeOf, connect } from "./fixture.test-support.js";
import { type SharedAccessKey, serve } from "./index.js";
import { connectRaw, numberIn } from "./raw-client.test-support.js";

const rootKey: SharedAccessKey = { name: "root", key: "root-secret", rights: ["Manage"] };
const sendKey: SharedAccessKey = { name: "sends", key: "send-secret", rights: ["Send"], entity: "orders" };
const listenKey: SharedAccessKey = {
  name: "listens",
  key: "listen-secret",
  rights: ["Listen"],
  entity: "orders",
};
const hourS = 3600;

async function openGuarded() {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  const broker = createBroker({ clock });
  await broker.createQueue("orders");
  await broker.createQueue("secret");
  const server = await serve(broker, { port: 0, keys: [rootKey, sendKey, listenKey] });
  const as = ({ name, key }: SharedAccessKey) =>
    connect(
      `Endpoint=sb://127.0.0.1:${server.port};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`,
    );
  const nowS = clock.now() / 1000;
  return {
    broker,
    server,
    clock,
    as,
    token: (key: SharedAccessKey, resource: string, expiresS = nowS + hourS) => sign(key, resource, expiresS),
    async [Symbol.asyncDispose](): Promise<void> {
      await server.close();
      await broker.close();
    },
  };
}

function sign({ name, key }: SharedAccessKey, resource: string, expiresS: number): string {
  const sr = encodeURIComponent(resource);
  const sig = encodeURIComponent(createHmac("sha256", key).update(`${sr}\n${expiresS}`).digest("base64"));
  return `SharedAccessSignature sr=${sr}&sig=${sig}&se=${expiresS}&skn=${name}`;
}

describe("a key", () => {
  it("of the namespace may do everything", async () => {
    await using fixture = await openGuarded();
    const client = connect(fixture.server.connectionString);
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    await receiver.completeMessage(message!);
    await client.close();
  });

  it("has only its rights on its entity", async () => {
    await using fixture = await openGuarded();
    const sends = fixture.as(sendKey);
    const listens = fixture.as(listenKey);
    await sends.createSender("orders").sendMessages({ body: 1 });
    expect(await codeOf(sends.createReceiver("orders").receiveMessages(1))).toBe("UnauthorizedAccess");
    expect(await codeOf(sends.createReceiver("orders").peekMessages(1))).toBe("UnauthorizedAccess");
    expect(await codeOf(listens.createSender("orders").sendMessages({ body: 1 }))).toBe("UnauthorizedAccess");
    expect(await codeOf(listens.createSender("orders").scheduleMessages({ body: 1 }, new Date()))).toBe(
      "UnauthorizedAccess",
    );
    expect(await listens.createReceiver("orders").receiveMessages(1)).toHaveLength(1);
    await sends.close();
    await listens.close();
  });

  it("reveals nothing about other entities", async () => {
    await using fixture = await openGuarded();
    const client = fixture.as(sendKey);
    const errorOf = async (entity: string): Promise<string> => {
      try {
        await client.createSender(entity).sendMessages({ body: 1 });
        return "sent";
      } catch (error) {
        return String(error)
          .replaceAll(entity, "<entity>")
          .replace(/ TrackingId:.*/, "");
      }
    };
    const existing = await errorOf("secret");
    expect(existing).toContain("InvalidSignature");
    expect(await errorOf("absent")).toBe(existing);
    await client.close();
  });

  it("is valid for its entity's sub-queues and subscriptions, but not for other entities with the same prefix", async () => {
    await using broker = createBroker();
    for (const path of ["q", "q/x", "q/subscriptions/x"]) await broker.createQueue(path);
    await broker.createTopic("t");
    await broker.createSubscription("t", "s");
    const keys = [
      { ...listenKey, entity: "q" },
      { ...listenKey, name: "topic", entity: "t" },
    ];
    await using server = await serve(broker, { port: 0, keys });
    const nowS = Date.now() / 1000;
    const mayOpen = async (
      key: SharedAccessKey,
      path: string,
      audience = path,
      refusal = "amqp:unauthorized-access",
    ): Promise<boolean> => {
      await using client = await connectRaw(server);
      const cbs = await client.management("$cbs");
      await cbs.call("put-token", sign(key, `sb://h/${audience}`, Math.round(nowS) + hourS), {
        name: `sb://h/${audience}`,
      });
      return await client.receiver(path).then(
        async ({ link, detached }) => {
          await client.synchronize();
          if (link.isAttached) return true;
          expect(await detached).toBe(refusal);
          return false;
        },
        () => false,
      );
    };
    const [queue, topic] = keys as [SharedAccessKey, SharedAccessKey];
    expect(await mayOpen(queue, "q")).toBe(true);
    expect(await mayOpen(queue, "Q/$DeadLetterQueue", "q")).toBe(true);
    expect(await mayOpen(topic, "t/Subscriptions/s", "t")).toBe(true);
    expect(await mayOpen(topic, "t/subscriptions/s/$deadletterqueue")).toBe(true);
    for (const [path, refusal] of [
      ["q/x", "amqp:unauthorized-access"],
      ["q/subscriptions/x", "amqp:not-found"],
      ["q/subscriptions/absent", "amqp:not-found"],
    ] as const) {
      expect(await mayOpen(queue, path, path, refusal)).toBe(false);
      expect(await mayOpen(queue, path, "q", refusal)).toBe(false);
    }
    await using plain = await connectRaw(server, {
      mechanism: "PLAIN",
      initialResponse: Buffer.from(`\0${queue.name}\0${queue.key}`),
    });
    await expect(plain.management("q/x")).rejects.toThrow("amqp:unauthorized-access");
    await plain.management("q");
  });

  it("with a wrong secret grants nothing", async () => {
    await using fixture = await openGuarded();
    const client = fixture.as({ ...rootKey, key: "guess" });
    expect(await codeOf(client.createSender("orders").sendMessages({ body: 1 }))).toBe("UnauthorizedAccess");
    await client.close();
  });
});

/** An error without what differs in every one. */
const untracked = (error: unknown, name: string): string =>
  String(error)
    .replaceAll(name, "<name>")
    .replace(/ TrackingId:.*|Reference:.*/, "");

describe("the key of a topic", () => {
  const news: SharedAccessKey = { name: "news", key: "news-secret", rights: ["Manage"], entity: "t" };

  /** Everything that a client with the key learns about what looks like a subscription of its topic. */
  async function learn(
    name: string,
    credentials: "token" | "token of the topic" | "PLAIN",
  ): Promise<string[]> {
    await using broker = createBroker();
    await broker.createTopic("t");
    await broker.createQueue("t/subscriptions/fake");
    await using server = await serve(broker, { port: 0, keys: [rootKey, news] });
    await using client = await connectRaw(server, {
      ...(credentials === "PLAIN"
        ? { mechanism: "PLAIN", initialResponse: Buffer.from(`\0${news.name}\0${news.key}`) }
        : { mechanism: "ANONYMOUS" }),
    });
    const path = `t/Subscriptions/${name}`;
    const learnt: string[] = [];
    if (credentials !== "PLAIN") {
      const audience = `sb://h/${credentials === "token" ? path : "t"}`;
      const cbs = await client.management("$cbs");
      const token = sign(news, audience, Math.round(Date.now() / 1000) + hourS);
      const { properties } = await cbs.call("put-token", token, { name: audience });
      learnt.push(untracked(JSON.stringify(properties.entries.map(([, value]) => value)), name));
    }
    for (const open of [
      () => client.sender(path),
      () => client.sender("t", stringMap({ "com.microsoft:transfer-destination-address": path })),
      () => client.receiver(path).then(async ({ detached }) => Promise.reject(await detached)),
      () =>
        client
          .receiver(`${path}/$deadletterqueue`)
          .then(async ({ detached }) => Promise.reject(await detached)),
    ])
      learnt.push(
        await open().then(
          () => "opened",
          (error: unknown) => untracked(error, name),
        ),
      );
    const managed = await client.management(path).then(
      async (node) => {
        const { properties } = await node.call(
          "com.microsoft:get-session-state",
          stringMap({ "session-id": "a" }),
        );
        return JSON.stringify(properties.entries);
      },
      (error: unknown) => String(error),
    );
    learnt.push(untracked(managed, name));
    return learnt;
  }

  it.each(["token", "token of the topic", "PLAIN"] as const)(
    "does not reveal a queue with the address of a subscription: %s",
    async (credentials) => {
      const existing = await learn("fake", credentials);
      expect(existing).toEqual(await learn("none", credentials));
      expect(existing.join()).not.toContain("opened");
      expect(existing.join()).toContain("could not be found");
    },
  );
});

describe("a key of one entity", () => {
  it("sends via its entity only to targets that it may send to", async () => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const via = (target: string) =>
      client.sender("orders", stringMap({ "com.microsoft:transfer-destination-address": target }));
    await cbs.call("put-token", fixture.token(sendKey, "sb://h/orders"), { name: "sb://h/orders" });
    for (const target of ["secret", "absent"])
      await expect(via(target)).rejects.toThrow("amqp:unauthorized-access: Unauthorized access. 'Send'");
    await cbs.call("put-token", fixture.token(rootKey, "sb://h/secret"), { name: "sb://h/secret" });
    await via("secret");
  });
});

describe("a token", () => {
  it.each([
    ["is expired", (fixture: Fixture) => fixture.token(rootKey, "sb://h/orders", 1)],
    ["is for another entity", (fixture: Fixture) => fixture.token(rootKey, "sb://h/secret")],
    ["is for an entity with the same prefix", (fixture: Fixture) => fixture.token(rootKey, "sb://h/order")],
    [
      "is signed with another key",
      (fixture: Fixture) => fixture.token({ ...rootKey, key: "x" }, "sb://h/orders"),
    ],
    ["is of an unknown key", (fixture: Fixture) => fixture.token({ ...rootKey, name: "x" }, "sb://h/orders")],
    [
      "is of another entity's key",
      (fixture: Fixture) => fixture.token({ ...sendKey, entity: "secret" }, "sb://h/secret"),
    ],
    [
      "has its expiry changed",
      (fixture: Fixture) => fixture.token(rootKey, "sb://h/orders").replace(/se=(\d+)/, "se=9$1"),
    ],
    ["is not a token", () => "Bearer x"],
    ["is empty", () => ""],
    ["has invalid percent-encoding", () => "SharedAccessSignature sr=%&sig=%&se=1&skn=%"],
  ])("that %s is refused", async (_name, make) => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const answer = await cbs.call("put-token", make(fixture), {
      name: "sb://h/orders",
      type: "servicebus.windows.net:sastoken",
    });
    expect(numberIn(answer, "status-code")).toBe(401);
    await expect(client.sender("orders")).rejects.toThrow("amqp:unauthorized-access");
  });

  it("in a connection string works for a client without SASL", async () => {
    await using fixture = await openGuarded();
    const token = fixture.token(rootKey, `sb://127.0.0.1:${fixture.server.port}/`);
    const client = connect(
      `Endpoint=sb://127.0.0.1:${fixture.server.port};SharedAccessSignature=${token};UseDevelopmentEmulator=true`,
    );
    await client.createSender("orders").sendMessages({ body: 1 });
    await client.close();
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });

  it("for the namespace covers its entities", async () => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const answer = await cbs.call("put-token", fixture.token(rootKey, "sb://h/"), { name: "sb://h/orders" });
    expect(numberIn(answer, "status-code")).toBe(202);
    await client.sender("orders");
  });

  it("detaches its links when it expires, unless it is renewed", async () => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const nowS = fixture.clock.now() / 1000;
    const put = (seconds: number) =>
      cbs.call("put-token", fixture.token(rootKey, "sb://h/orders", nowS + seconds), {
        name: "sb://h/orders",
      });
    await put(60);
    const receiver = await client.receiver("orders", { credit: 1 });
    await client.send("orders", "first");
    await receiver.take(1);
    await put(120);
    fixture.clock.advance(61_000);
    await client.send("orders", "second");
    fixture.clock.advance(60_000);
    expect(await receiver.detached).toBe("amqp:unauthorized-access");
  });

  it("expires by the wall clock: immediately if the clock is stepped beyond its end, later if it is stepped back", async () => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const endsS = fixture.clock.now() / 1000 + 60;
    await cbs.call("put-token", fixture.token(rootKey, "sb://h/orders", endsS), { name: "sb://h/orders" });
    const receiver = await client.receiver("orders", { credit: 1 });
    fixture.clock.step(-hourS * 1000);
    fixture.clock.advance(120_000);
    await client.send("orders", "still allowed");
    await receiver.take(1);
    fixture.clock.step(2 * hourS * 1000);
    expect(await receiver.detached).toBe("amqp:unauthorized-access");
  });

  it("is not needed if management requires no right", async () => {
    await using fixture = await openGuarded();
    await using client = await connectRaw(fixture.server);
    const cbs = await client.management("$cbs");
    const answer = await cbs.call("delete-everything", stringMap({}));
    expect(numberIn(answer, "status-code")).toBe(501);
  });
});

describe("serve", () => {
  it("generates a key when none is given", async () => {
    await using broker = createBroker();
    await broker.createQueue("orders");
    await using first = await serve(broker, { port: 0 });
    await using second = await serve(broker, { port: 0 });
    const key = (text: string) => /SharedAccessKey=([^;]+)/.exec(text)![1]!;
    expect(key(first.connectionString)).not.toBe(key(second.connectionString));
    const client = connect(first.connectionString.replace(key(first.connectionString), "SAS_KEY_VALUE"));
    expect(await codeOf(client.createSender("orders").sendMessages({ body: 1 }))).toBe("UnauthorizedAccess");
    await client.close();
  });

  it("accepts all clients only on loopback with acceptAnyone, and warns", async () => {
    await using broker = createBroker();
    await broker.createQueue("orders");
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    await using server = await serve(broker, { port: 0, acceptAnyone: true });
    expect(warnings.mock.calls[0]![0]).toContain("accepts every client");
    warnings.mockRestore();
    const client = connect(
      `Endpoint=sb://localhost:${server.port};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true`,
    );
    await client.createSender("orders").sendMessages({ body: 1 });
    await client.close();
    await expect(serve(broker, { port: 0, host: "0.0.0.0", acceptAnyone: true })).rejects.toThrow("loopback");
    await expect(serve(broker, { port: 0, keys: [rootKey], acceptAnyone: true })).rejects.toThrow(
      "set either acceptAnyone or keys",
    );
  });

  it.each([
    [{ port: -1 }, "port must be an integer from 0 to 65535; got -1"],
    [
      { idleTimeouts: { linkMs: 0.5 } },
      "idleTimeouts.linkMs must be an integer from 0 to 2147483647; got 0.5",
    ],
    [{ keys: [] }, "nobody could connect"],
    [{ keys: [rootKey, rootKey] }, "'root' is given twice"],
    [{ keys: [{ ...rootKey, rights: ["Read"] as never }] }, "the rights of 'root'"],
    [{ keys: [{ ...rootKey, key: "" }] }, "'root' has no key"],
  ])("refuses invalid options: %j", async (options, text) => {
    await using broker = createBroker();
    await expect(serve(broker, options)).rejects.toThrow(text);
  });
});

type Fixture = Awaited<ReturnType<typeof openGuarded>>;
