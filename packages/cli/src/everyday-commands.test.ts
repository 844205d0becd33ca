import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  encoded,
  environments,
  fill,
  garbage,
  openServerEnvironment,
  runCommand,
  waiting,
} from "./environments.test-support.js";

const orders = [1, 2, 3].map((id) => ({
  ...encoded({ id, customer: { id: id * 10 } }),
  messageId: `order-${id}`,
  applicationProperties: { tenant: id % 2 },
}));

describe.each(environments)("on $name", ({ open }) => {
  describe("filters of peek", () => {
    it.each([
      ["a property", ["--where", "messageId=order-2"], ["order-2"]],
      ["an application property", ["--where", "tenant=1"], ["order-1", "order-3"]],
      ["a property that is there", ["--where", "tenant"], ["order-1", "order-2", "order-3"]],
      ["several", ["--where", "tenant=1", "--where", "messageId=order-3"], ["order-3"]],
      ["a path into the body", ["--path", "$.customer.id=20"], ["order-2"]],
      ["a text in the body", ["--text", "CUSTOMER"], ["order-1", "order-2", "order-3"]],
      ["a regular expression", ["--text", "/^order-[23]$/"], ["order-2", "order-3"]],
      ["a maximum", ["--where", "tenant=1", "--max", "1"], ["order-1"]],
      ["what cannot be read", ["--undeserializable"], ["garbage"]],
      ["the reason why", ["--reason", "nodeserializer"], ["garbage"]],
    ])("show only %s", async (_, filters, expected) => {
      await using environment = await open();
      await environment.withBroker(async (broker) => {
        await broker.createQueue("orders");
        await fill(broker, "orders", [...orders, garbage]);
      });
      const ended = await environment.run(["peek", "orders", "--json", ...filters]);
      expect(ended.lines().map(({ messageId }) => messageId)).toEqual(expected);
    });
  });

  it.each([
    ["peek", ["--text"]],
    ["tail", ["--all", "--max", "1", "--path"]],
    ["receive", ["--settle", "complete", "--where"]],
  ])("ends %s when a regular expression of a filter takes too long", async (command, filter) => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [
        { ...encoded({ text: `${"a".repeat(60)}!` }), subject: "a".repeat(60).concat("!") },
      ]);
    });
    const value = { "--text": "", "--path": "$.text=", "--where": "subject=" }[filter.at(-1) as "--text"];
    const ended = await environment.run([command, "orders", ...filter, `${value}/^(a+)+$/`]);
    expect(ended).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(
          `^error: ${filter.at(-1)}: The search was stopped: /\\^\\(a\\+\\)\\+\\$/ takes too long`,
          "m",
        ),
      ),
    });
    const [left] = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(left?.deliveryCount).toBe(0);
  });

  it("shows, receives and cancels what is scheduled, also at a topic", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await broker.createTopic("events");
    });
    const later = ["--schedule", "2050-01-01T00:00:00Z", "--body", '{"id":1}'];
    const first = await environment.run(["send", "orders", ...later, "--json"]);
    await environment.run(["send", "events", ...later]);
    await environment.run(["send", "orders", "--body", '{"id":2}']);

    const listed = await environment.run(["scheduled", "list", "orders", "--json"]);
    const { sequenceNumber } = first.json<{ sequenceNumber: string }>();
    expect(listed.lines()).toEqual([
      expect.objectContaining({
        sequenceNumber,
        state: "scheduled",
        scheduledEnqueueTimeUtc: "2050-01-01T00:00:00.000Z",
      }),
    ]);
    expect((await environment.run(["scheduled", "list", "events", "--json"])).lines()).toHaveLength(1);

    expect(await environment.run(["scheduled", "cancel", "orders", String(sequenceNumber)])).toMatchObject({
      exitCode: 0,
    });
    expect((await environment.run(["scheduled", "list", "orders", "--json"])).lines()).toEqual([]);
    expect(await environment.run(["scheduled", "cancel", "orders", String(sequenceNumber)])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("message-not-found"),
    });
  });

  it("receives only what a filter shows, and says what that costs the others", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", orders);
    });
    const receive = ["receive", "orders", "--settle", "complete", "--json", "--where", "messageId=order-2"];
    const stopped = await environment.run(receive);
    expect(stopped).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringContaining("Message 1 is left out by the filters and stays."),
    });
    const taken = await environment.run([...receive, "--use-deliveries", "--max", "9", "--wait", "1ms"]);
    expect(taken.lines()).toMatchObject([{ messageId: "order-2" }]);
    expect(taken).toMatchObject({
      exitCode: 0,
      stderr:
        "1 message will be locked and stays, which uses one delivery of each.\n1 that the filters leave out was received and stays.\n",
    });
    const left = await environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    expect(left.map(({ messageId, deliveryCount }) => [messageId, deliveryCount])).toEqual([
      ["order-1", 1],
      ["order-3", 0],
    ]);
    await environment.run(["receive", "orders", "--settle", "defer", "--max", "2"]);
    const deferred = await environment.run([...receive.slice(0, 5), "--deferred", "--where", "tenant=1"]);
    expect(deferred.lines()).toMatchObject([{ messageId: "order-1" }]);
  });

  it("receives deferred messages, by number or the oldest", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", orders);
    });
    const deferred = await environment.run([
      "receive",
      "orders",
      "--settle",
      "defer",
      "--max",
      "3",
      "--json",
    ]);
    const numbers = deferred.lines<{ sequenceNumber: string }>().map(({ sequenceNumber }) => sequenceNumber);
    const receive = (...args: string[]) =>
      environment.run(["receive", "orders", "--settle", "complete", "--json", ...args]);
    const ids = (ended: Awaited<ReturnType<typeof receive>>) =>
      ended.lines().map(({ messageId }) => messageId);
    expect(ids(await receive("--wait", "1ms"))).toEqual([]);
    expect(ids(await receive(`--deferred=${numbers[2]}`))).toEqual(["order-3"]);
    expect(ids(await receive("--deferred", "--max", "1"))).toEqual(["order-1"]);
    expect(ids(await receive("--deferred", "--max", "9"))).toEqual(["order-2"]);
    expect(ids(await receive("--deferred"))).toEqual([]);
  });

  it("lists sessions, sets, shows and removes their states", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("billing", { requiresSession: true }));
    for (const session of ["b", "a"])
      await environment.run(["send", "billing", "--body", "1", "--session-id", session]);
    expect((await environment.run(["sessions", "list", "billing", "--json"])).lines()).toEqual([
      { sessionId: "a" },
      { sessionId: "b" },
    ]);
    const state = () => environment.run(["sessions", "state", "billing", "a", "--json"]);
    expect(await state()).toMatchObject({ exitCode: 1 });
    await environment.run(["sessions", "set-state", "billing", "a", "--body", '{"step":2}']);
    expect((await state()).json()).toEqual({ sessionId: "a", hasState: true, state: { step: 2 } });
    const raw = await environment.run(["sessions", "state", "billing", "a", "--raw"]);
    expect(raw.stdout).toContain('{"step":2}');
    expect(
      (
        await environment.run(["sessions", "list", "billing", "--json", "--state-set-after", "2020-01-01"])
      ).lines(),
    ).toEqual([{ sessionId: "a" }]);
    await environment.run(["sessions", "set-state", "billing", "a", "--clear"]);
    expect(await state()).toMatchObject({ exitCode: 1 });
  });

  it("sends the lines of a file, and goes on after a mistake", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    await environment.write("orders.ndjson", '{"id":1}\n{"id":2}\n\n{"id":\n{"id":4}\n');
    const failed = await environment.run(["send", "orders", "--lines", "orders.ndjson"]);
    expect(failed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        "orders.ndjson:4 is not JSON. To send bytes as they are, use --raw. 0 messages were sent.\n",
      ),
    });
    const ended = await environment.run(["send", "orders", "--lines", "--skip", "3"], {
      input: '1\n2\n3\n"four"\n5\n',
    });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    const peeked = await environment.run(["peek", "orders", "--json", "--body"]);
    expect(peeked.lines().map(({ body }) => body)).toEqual(["four", 5]);
  });

  it("sends more lines than a batch may have messages, and says after an error which were sent", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    const lines = Array.from({ length: 5_000 }, (_, id) => `${id}\n`).join("");
    const send = ["send", "orders", "--lines", "--json"];
    expect((await environment.run(send, { input: lines })).json()).toEqual({ sent: 5_000 });
    const failed = await environment.run(send, { input: `${`"${"x".repeat(200_000)}"\n`.repeat(7)}oops\n` });
    expect(failed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /line 8 is not JSON\. .* [1-6] messages were sent; --skip [1-6] goes on after them\.\n$/,
      ),
    });
  });

  it("sends the files of a folder in the order of their names, in batches", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    await mkdir(join(environment.folder, "bodies"));
    for (const name of ["b", "a", "c"])
      await environment.write(`bodies/${name}.json`, JSON.stringify({ name, blanks: " ".repeat(200_000) }));
    const ended = await environment.run(["send", "orders", "bodies", "--subject", "order-placed", "--json"]);
    expect(ended.json()).toEqual({ sent: 3 });
    const peeked = await environment.run(["peek", "orders", "--json", "--body"]);
    expect(peeked.lines<{ body: { name: string } }>().map(({ body }) => body.name)).toEqual(["a", "b", "c"]);
  });

  describe("entities", () => {
    it("are created, listed with their counts, shown, changed and deleted", async () => {
      await using environment = await open();
      const run = (...args: string[]) => environment.run(["entities", ...args]);
      await environment.run(["send", "first", "--body", "1", "--create"]).catch(() => {});
      await environment.withBroker(async (broker) => {
        if (broker.listEntities().length === 0) await broker.createQueue("first");
      });
      expect(
        await run(
          "create",
          "queue",
          "orders",
          "--set",
          "LockDuration=PT30S",
          "--set",
          "requiressession=true",
        ),
      ).toMatchObject({
        exitCode: 0,
        stdout: '{\n  "path": "orders",\n  "kind": "queue",\n  "isCreated": true\n}\n',
      });
      expect((await run("create", "queue", "orders")).json()).toMatchObject({ isCreated: false });
      expect((await run("create", "queue", "orders", "--no-json")).stdout).toBe("is there    queue orders\n");
      expect((await run("create", "topic", "events")).exitCode).toBe(0);
      expect(
        (await run("create", "subscription", "events/Subscriptions/large", "--sql", "total > 1000")).exitCode,
      ).toBe(0);
      await environment.run(["send", "orders", "--body", "1", "--session-id", "a"]);

      const listed = (await run("list", "--json")).lines<{ path: string }>();
      expect(listed.filter(({ path }) => path !== "first")).toEqual([
        expect.objectContaining({
          path: "orders",
          kind: "queue",
          requiresSession: true,
          counts: expect.objectContaining({ active: 1, deadLetter: 0 }),
        }),
        expect.objectContaining({ path: "events", kind: "topic" }),
        expect.objectContaining({ path: "events/Subscriptions/large", kind: "subscription" }),
      ]);
      expect((await run("list", "LARGE", "--json")).lines()).toHaveLength(1);
      expect((await run("list", "--dead-letters", "--json")).lines()).toEqual([]);

      expect((await run("show", "orders")).json()).toMatchObject({
        Name: "orders",
        Properties: { LockDuration: "PT30S", RequiresSession: true },
      });
      expect((await run("show", "events/Subscriptions/large")).json()).toMatchObject({
        Name: "large",
        Rules: [
          {
            Name: "$Default",
            Properties: { FilterType: "Sql", SqlFilter: { SqlExpression: "total > 1000" } },
          },
        ],
      });

      const changed = await run(
        "change",
        "orders",
        "--set",
        "MaxDeliveryCount=20",
        "--set",
        "ForwardDeadLetteredMessagesTo=first",
      );
      expect(changed.json()).toMatchObject({
        Properties: { MaxDeliveryCount: 20, LockDuration: "PT30S", ForwardDeadLetteredMessagesTo: "first" },
      });
      const cleared = await run("change", "orders", "--set", "ForwardDeadLetteredMessagesTo=");
      expect(cleared.json<{ Properties: object }>().Properties).not.toHaveProperty(
        "ForwardDeadLetteredMessagesTo",
      );

      expect(await run("delete", "orders", "--no-json")).toMatchObject({
        exitCode: 1,
        stdout: "would delete the queue orders with 1 message. Nothing was changed. --apply does it.\n",
      });
      expect((await run("delete", "orders", "--apply")).json()).toEqual({
        path: "orders",
        kind: "queue",
        messages: 1,
        isDeleted: true,
      });
      expect((await run("delete", "events", "--apply")).exitCode).toBe(0);
      expect(await run("show", "orders")).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("entity-not-found"),
      });
    });

    it.each([
      [
        "an unknown property",
        ["create", "queue", "q", "--set", "LockDuratoin=PT1M"],
        "did you mean LockDuration?",
      ],
      [
        "a property of another kind",
        ["create", "topic", "t", "--set", "LockDuration=PT1M"],
        "--set: LockDuration is unknown",
      ],
      [
        "a wrong value",
        ["create", "queue", "q", "--set", "MaxDeliveryCount=many"],
        "MaxDeliveryCount must be a number",
      ],
      ["no value", ["create", "queue", "q", "--set", "MaxDeliveryCount="], "MaxDeliveryCount needs a value"],
      ["a wrong kind", ["create", "subscription", "billing"], "Name a subscription with its topic"],
      ["a filter for a queue", ["create", "queue", "q", "--sql", "1=1"], "--sql is for subscriptions only"],
      ["rules of a queue", ["rules", "list", "orders"], "does not name a subscription"],
      ["a rule without a filter", ["rules", "add", "t/Subscriptions/s", "r"], "Give --sql, or properties"],
    ])("refuse %s", async (_, args, text) => {
      await using environment = await open();
      await environment.withBroker((broker) => broker.createQueue("first"));
      expect(await environment.run(["entities", ...args])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(text),
      });
    });

    it("have rules, which are listed, added and removed", async () => {
      await using environment = await open();
      await environment.withBroker(async (broker) => {
        await broker.createTopic("events");
        await broker.createSubscription("events", "billing");
      });
      const billing = "events/Subscriptions/billing";
      const run = (...args: string[]) => environment.run(["entities", "rules", ...args]);
      await run("add", billing, "large", "--sql", "total > 1000", "--action", "SET priority = 'high'");
      await run("add", billing, "tenant", "--subject", "order-placed", "--property", "tenant=7");
      await run("remove", billing, "$Default");
      expect((await run("list", billing, "--json")).lines()).toEqual([
        { name: "large", filter: { sqlExpression: "total > 1000" }, action: "SET priority = 'high'" },
        { name: "tenant", filter: { subject: "order-placed", applicationProperties: { tenant: "7" } } },
      ]);
      expect((await run("list", billing, "--no-json")).stdout).toContain(
        'subject = "order-placed" and tenant = "7"',
      );
      expect(await run("remove", billing, "$Default")).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("entity-not-found"),
      });
    });
  });
});

describe("receive, while it waits", () => {
  /** A receiver of up to three messages that has taken the first one, and waits. */
  async function startWaiting(...args: string[]) {
    const environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 })]);
    });
    const left = () => environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    const receive = ["receive", "orders", "--settle", "complete", "--max", "3", "--body", ...args];
    const ended = environment.run(receive, { isFresh: true });
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    const send = (message: Parameters<typeof fill>[2][number]) =>
      environment.withBroker((broker) => fill(broker, "orders", [message]));
    return { ended, left, send, [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose]() };
  }

  it("leaves a message that arrives and cannot be deserialized without a delivery", async () => {
    await using receiver = await startWaiting("--wait", "1m");
    await receiver.send(garbage);
    expect(await receiver.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("Message 2 cannot be deserialized and stays. It was not received"),
    });
    expect(await receiver.left()).toMatchObject([{ messageId: "garbage", deliveryCount: 0 }]);
  });

  it("takes what arrives and is wanted, and then stops before what a filter leaves out", async () => {
    await using receiver = await startWaiting("--wait", "1m", "--where", "subject=order-placed");
    await receiver.send(encoded({ id: 2 }));
    await expect.poll(receiver.left, { timeout: 20_000 }).toEqual([]);
    await receiver.send({ ...encoded({ id: 3 }), subject: "order-cancelled" });
    const ended = await receiver.ended;
    expect(ended.lines()).toMatchObject([{ body: { id: 1 } }, { body: { id: 2 } }]);
    expect(ended.stderr).toContain("Message 3 is left out by the filters and stays.");
    expect(await receiver.left()).toMatchObject([{ subject: "order-cancelled", deliveryCount: 0 }]);
  });

  it("ends once nothing has come for as long as --wait says", async () => {
    await using receiver = await startWaiting("--wait", "50ms");
    expect(await receiver.ended).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("tail", () => {
  const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

  it("shows what arrives from now on, until it is interrupted", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", orders.slice(0, 1));
    });
    const env = { ...process.env, SERVICEBUS_CONNECTION_STRING: environment.connectionString };
    const child = spawn(process.execPath, [bin, "tail", "orders", "--json"], { env });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const lines = createInterface({ input: child.stdout });
    const shown: string[] = [];
    const seen = new Promise<void>((resolve) => {
      lines.on("line", (line) => {
        shown.push((JSON.parse(line) as { messageId: string }).messageId);
        if (shown.length === 2) resolve();
      });
    });
    await new Promise<void>((resolve) =>
      createInterface({ input: child.stderr }).on("line", (line) => {
        if (line === "Following orders; Ctrl-C ends it.") resolve();
      }),
    );
    await environment.withBroker((broker) => fill(broker, "orders", orders.slice(1)));
    await seen;
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(shown).toEqual(["order-2", "order-3"]);
    await environment.withBroker(async (broker) =>
      expect(await waiting(broker, { queue: "orders" })).toHaveLength(3),
    );
  });

  it("begins with the oldest on request, and ends after a number of messages that a filter shows", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", orders);
    });
    const tail = (...args: string[]) => environment.run(["tail", "orders", "--all", "--max", "1", ...args]);
    expect((await tail("--json", "--path", "$.id=2", "--body")).lines()).toEqual([
      expect.objectContaining({ messageId: "order-2", body: { id: 2, customer: { id: 20 } } }),
    ]);
    expect((await tail("--no-json")).stdout).toMatch(
      /^\S+Z {2}\d+ {2}order-placed {2}application\/json {2}json {2}order-1\n$/,
    );
  });
});

describe("token", () => {
  it("is accepted as the Authorization header, for its entity only", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await broker.createQueue("billing");
    });
    const { stdout } = await environment.run(["token", "orders", "--url"]);
    const [url = "", authorization = ""] = stdout.trimEnd().split("\n");
    const send = (to: string) =>
      fetch(`${to}/messages`, { method: "POST", body: "1", headers: { authorization } });
    expect((await send(url)).status).toBe(201);
    expect((await send(url.replace("orders", "billing"))).status).toBe(401);
    await environment.withBroker(async (broker) =>
      expect(await waiting(broker, { queue: "orders" })).toHaveLength(1),
    );
  });

  it("needs a key", async () => {
    expect(await runCommand(["token"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Set SERVICEBUS_CONNECTION_STRING"),
    });
  });
});
