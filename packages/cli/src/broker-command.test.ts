import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { type BrokerEvent, openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { describe, expect, it } from "vitest";
import { documentedLog, undocumentedIn } from "./documented-log.test-support.js";
import { openFolder, runCommand } from "./environments.test-support.js";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

interface Listening {
  readonly namespace: string;
  readonly ports: readonly number[];
  readonly health: string;
  readonly connectionString: string;
}

const log = await documentedLog();

/** The real command, listening on free ports. Each line of its log is as the documentation says. */
async function startBroker(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
) {
  const [program = "", ...all] = [
    ...within,
    process.execPath,
    bin,
    "broker",
    "--port",
    "0",
    "--json",
    ...args,
  ];
  const child: ChildProcess = spawn(program, all, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const events: Record<string, unknown>[] = [];
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  await new Promise<void>((resolve, reject) => {
    child.once("close", (code) => reject(new Error(`waybill broker ended with ${code}`)));
    lines.on("line", (line) => {
      const event = JSON.parse(line) as Record<string, unknown>;
      events.push(event);
      if (event.event === "ready") resolve();
    });
  });
  const listening = events.filter(({ event }) => event === "listening") as unknown as Listening[];
  return {
    events,
    listening,
    connectionString: listening[0]?.connectionString ?? "",
    pid: child.pid,
    /** Resolves once an event was logged. */
    async until(name: string): Promise<void> {
      while (!events.some(({ event }) => event === name)) await once(lines, "line");
    },
    /** The exit code, once the broker has ended by itself. */
    ended: ended.then(([code]) => code as number | null),
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill("SIGKILL");
      await ended;
      expect(events.flatMap((line) => undocumentedIn(line, log))).toEqual([]);
    },
  };
}

it("writes a file for programs in other languages while clients can connect", async () => {
  await using folder = await openFolder();
  const file = join(folder.path, "ready.json");
  await using broker = await startBroker(["--ready-file", file]);
  const ready = JSON.parse(await readFile(file, "utf8"));
  const [{ namespace, connectionString, host, ports, health } = {}] =
    broker.listening as unknown as (typeof ready)[];
  const expected = { namespace, connectionString, host, ports, health };
  expect(ready).toEqual({ ...expected, namespaces: [expected] });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await broker.stop()).toBe(0);
  await expect(stat(file)).rejects.toThrow("ENOENT");
});

const config = JSON.stringify({
  UserConfig: {
    Namespaces: [
      {
        Name: "sbemulatorns",
        Queues: [
          {
            Name: "orders",
            Properties: { LockDuration: "PT30S", ForwardDeadLetteredMessagesTo: "failures" },
          },
          { Name: "failures" },
        ],
        Topics: [
          {
            Name: "events",
            Subscriptions: [
              {
                Name: "some",
                Rules: [
                  { Name: "large", Properties: { FilterType: "Sql", SqlFilter: { SqlExpression: "a > 1" } } },
                ],
              },
            ],
          },
        ],
      },
    ],
    Logging: { Type: "Console" },
  },
});

async function send(connectionString: string, queue: string, bodies: readonly string[]): Promise<void> {
  const client = new ServiceBusClient(connectionString);
  await client.createSender(queue).sendMessages(bodies.map((body) => ({ body })));
  await client.close();
}

describe("waybill broker", () => {
  it("serves a configuration with the connection string that it prints, keeps messages, and stops cleanly", async () => {
    await using folder = await openFolder();
    const file = await folder.write("Config.json", config);
    const args = ["--config", file, "--data", join(folder.path, "data")];
    {
      await using broker = await startBroker(args);
      expect(broker.connectionString).toMatch(
        /^Endpoint=sb:\/\/127\.0\.0\.1:\d+;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true$/,
      );
      expect(await (await fetch(broker.listening[0]?.health ?? "")).json()).toMatchObject({
        status: "healthy",
      });
      await send(broker.connectionString, "orders", ["kept"]);
      expect(await broker.stop("SIGINT")).toBe(0);
      expect(broker.events.at(-1)).toMatchObject({ level: "info", event: "stopped" });
    }
    await using again = await startBroker(args);
    const client = new ServiceBusClient(again.connectionString);
    const [message] = await client.createReceiver("orders").receiveMessages(1);
    expect(message?.body).toBe("kept");
    await client.close();
    expect(await again.stop()).toBe(0);
  });

  it("names the process that uses the port, and the one that uses the data", async () => {
    await using folder = await openFolder();
    await using broker = await startBroker(["--data", folder.path]);
    const port = String(broker.listening[0]?.ports[0]);
    const second = await runCommand(["broker", "--port", port]);
    expect(second).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        new RegExp(`^error: Port ${port} of 127.0.0.1 is taken by another waybill broker`),
      ),
    });
    const third = await runCommand(["broker", "--port", "0", "--data", folder.path]);
    expect(third).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(folder.path) });
  });

  it("hosts several namespaces, each with a port, and more ports", async () => {
    await using folder = await openFolder();
    const file = await folder.write(
      "two.json",
      '{"Namespaces":[{"Name":"one","Queues":[{"Name":"q"}]},{"Name":"two"}]}',
    );
    await using broker = await startBroker(["--config", file, "--also-port", "0", "--tier", "standard"]);
    expect(broker.listening).toMatchObject([
      { namespace: "one", queues: 1, ports: [expect.any(Number), expect.any(Number)] },
      { namespace: "two", queues: 0, ports: [expect.any(Number)] },
    ]);
  });

  it("tells how many of its stored messages it has loaded, after each 100,000", async () => {
    await using folder = await openFolder();
    const data = join(folder.path, "data");
    {
      await using stored = await openBroker({ storage: await openDurableStorage(data) });
      await stored.createQueue("orders");
      const sender = stored.sender("orders");
      const batch = Array.from({ length: 1_000 }, () => ({
        body: { section: "data", bytes: Uint8Array.of(1) } as const,
      }));
      for (let sent = 0; sent < 100_000; sent += batch.length) await sender.sendBatch(batch);
    }
    await using broker = await startBroker(["--data", data]);
    expect(broker.events.filter(({ event }) => event === "loading")).toMatchObject([
      { messages: 100_000, message: "Loading the stored messages: 100,000 so far." },
    ]);
    await broker.stop();
  });

  it("keeps each namespace in a directory with its name, so that another one in the file hides no data", async () => {
    await using folder = await openFolder();
    const data = join(folder.path, "data");
    const withNames = (...names: string[]) =>
      folder.write(
        `${names.join("-")}.json`,
        JSON.stringify({ Namespaces: names.map((Name) => ({ Name, Queues: [{ Name: "orders" }] })) }),
      );
    {
      await using alone = await startBroker(["--config", await withNames("shop"), "--data", data]);
      await send(alone.connectionString, "orders", ["kept"]);
      await alone.stop();
    }
    const peek = () => runCommand(["peek", "orders", "--data", data]);
    expect((await peek()).stdout).toContain('"sequenceNumber":"1"');
    {
      await using both = await startBroker(["--config", await withNames("stock", "shop"), "--data", data]);
      const client = new ServiceBusClient(both.listening[1]?.connectionString ?? "");
      const [message] = await client.createReceiver("orders").receiveMessages(1);
      expect(message?.body).toBe("kept");
      await client.close();
      await both.stop();
    }
    expect(await peek()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        `has the data of several namespaces. Name one of them: ${join(data, "shop")}, `,
      ),
    });
    await using one = await startBroker(["--config", await withNames("stock"), "--data", data]);
    expect(one.events).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: expect.stringContaining("the namespace shop, which"),
      }),
    );
    const outside = JSON.stringify({ Namespaces: [{ Name: "../.." }] });
    const refused = ["broker", "--port", "0", "--data", join(folder.path, "none"), "--config"];
    expect(await runCommand([...refused, await folder.write("bad.json", outside)])).toMatchObject({
      exitCode: 2,
    });
    await expect(stat(join(folder.path, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("keeps a generated key with the data, and reads one from a file", async () => {
    await using folder = await openFolder();
    const data = join(folder.path, "data");
    const keyOf = (text: string) => /SharedAccessKey=([^;]+)/.exec(text)?.[1];
    const keys: (string | undefined)[] = [];
    for (let start = 0; start < 2; start++) {
      await using broker = await startBroker(["--host", "0.0.0.0", "--data", data]);
      keys.push(keyOf(broker.connectionString));
      await broker.stop();
    }
    expect(keys[0]).toMatch(/^\S{44}$/);
    expect(keys[1]).toBe(keys[0]);
    expect((await stat(join(data, "broker-key"))).mode & 0o777).toBe(0o600);
    const file = await folder.write("secret", "a-mounted-key\n");
    await using broker = await startBroker([], { WAYBILL_BROKER_KEY_FILE: file });
    expect(keyOf(broker.connectionString)).toBe("***");
    await expect(
      send(broker.connectionString.replace("***", "a-mounted-key"), "none", ["x"]),
    ).rejects.toMatchObject({
      code: "MessagingEntityNotFound",
    });
  });

  it("logs who is refused and why, and connections with --verbose", async () => {
    await using folder = await openFolder();
    const keys = JSON.stringify([
      { name: "root", key: "root-key", rights: ["Manage"] },
      { name: "reader", key: "reader-key", rights: ["Listen"] },
    ]);
    const args = ["--config", await folder.write("Config.json", config), "--verbose"];
    await using broker = await startBroker([...args, "--keys", await folder.write("keys.json", keys)]);
    const as = (name: string, key: string) =>
      broker.connectionString.replace("Name=root", `Name=${name}`).replace("***", key);
    for (const text of [as("reader", "reader-key"), as("reader", "wrong-key"), as("nobody", "reader-key")]) {
      const client = new ServiceBusClient(text, { retryOptions: { maxRetries: 0 } });
      await expect(client.createSender("orders").sendMessages({ body: "x" })).rejects.toThrow();
      await client.close();
    }
    const env = { SERVICEBUS_CONNECTION_STRING: as("reader", "reader-key") };
    expect(await runCommand(["broker", "purge", "orders"], { env })).toMatchObject({ exitCode: 3 });
    expect(await broker.stop()).toBe(0);
    const refused = broker.events.filter(({ event }) => event === "refused");
    expect(refused.map(({ entity, detail }) => `${entity}: ${detail}`)).toEqual([
      "orders: no token of the client has the right to Send",
      "orders: the token was not signed with the key of the policy 'reader'",
      "orders: there is no policy 'nobody'",
      "orders: the token has no right to Manage",
    ]);
    expect(refused[0]).toMatchObject({ level: "warn", client: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    const connections = broker.events.filter(({ event }) => /connected$/.test(event as string));
    expect(connections.map(({ level, event }) => `${level} ${event}`)).toEqual(
      Array(3).fill(["debug connected", "debug disconnected"]).flat(),
    );
    expect(JSON.stringify(broker.events)).not.toMatch(/reader-key|wrong-key|sig=/);
  });

  it("logs warnings of the process, and data that the configuration does not name", async () => {
    await using folder = await openFolder();
    const data = join(folder.path, "data");
    const other = JSON.stringify({ Namespaces: [{ Name: "other", Queues: [{ Name: "orders" }] }] });
    await using first = await startBroker([
      "--data",
      data,
      "--config",
      await folder.write("other.json", other),
    ]);
    await first.stop();
    await using broker = await startBroker(["--data", data, "--accept-anyone"]);
    expect(await broker.stop()).toBe(0);
    expect(broker.events.filter(({ level }) => level === "warn")).toMatchObject([
      { event: "data", namespace: "other" },
      {
        event: "warning",
        code: "WAYBILL_ACCEPT_ANYONE",
        message: expect.stringContaining("accepts every client"),
      },
    ]);
  });

  it("has every event of the engine in its documentation", () => {
    const events: Record<BrokerEvent["type"], true> = {
      abandoned: true,
      activated: true,
      "auto-deleted": true,
      cancelled: true,
      completed: true,
      "dead-lettered": true,
      deferred: true,
      delivered: true,
      "dropped-as-duplicate": true,
      enqueued: true,
      "entity-created": true,
      "entity-deleted": true,
      "entity-updated": true,
      expired: true,
      forwarded: true,
      "lock-expired": true,
      "lock-renewed": true,
      "matched-no-subscription": true,
      published: true,
      purged: true,
      scheduled: true,
      "session-accepted": true,
      "session-released": true,
    };
    expect(Object.keys(events).filter((event) => log.get(event)?.level !== "debug")).toEqual([]);
  });

  it("logs what happens to messages with --verbose, without their content", async () => {
    await using folder = await openFolder();
    await using broker = await startBroker([
      "--verbose",
      "--config",
      await folder.write("Config.json", config),
    ]);
    const client = new ServiceBusClient(broker.connectionString);
    await client.createSender("orders").sendMessages({ body: "secret text", messageId: "m-1" });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    await receiver.deadLetterMessage(message!, {
      deadLetterReason: "Broken",
      deadLetterErrorDescription: "",
    });
    await client.close();
    expect(await broker.stop()).toBe(0);
    const logged = broker.events.filter(({ level }) => level === "debug");
    expect(logged).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          event: "enqueued",
          entity: "orders",
          messageId: "m-1",
          sequenceNumber: "1",
        }),
        expect.objectContaining({ event: "dead-lettered", detail: "Broken" }),
      ]),
    );
    expect(JSON.stringify(broker.events)).not.toContain("secret text");
  });

  // Mounts that only one process sees.
  const [unshare, ...own] = ["unshare", "-rm"] as const;
  const hasSmallDisks = spawnSync(unshare, [...own, "true"]).status === 0;

  it.runIf(hasSmallDisks)(
    "says that the disk is full, is degraded, and continues once there is room",
    async () => {
      await using folder = await openFolder();
      const file = await folder.write("Config.json", config);
      const disk = join(folder.path, "disk");
      await mkdir(disk);
      // A disk of its own with 4 MB besides a file that can be deleted, seen by this process only.
      const script = `mount -t tmpfs -o size=8m tmpfs "${disk}" && head -c 4M /dev/zero > "${disk}/other" && exec "$0" "$@"`;
      await using broker = await startBroker(["--config", file, "--data", join(disk, "data")], {}, [
        "unshare",
        "-rm",
        "sh",
        "-c",
        script,
      ]);
      const client = new ServiceBusClient(broker.connectionString, { retryOptions: { maxRetries: 0 } });
      const sender = client.createSender("orders");
      let acknowledged = 0;
      const fill = async () => {
        for (; acknowledged < 100; acknowledged++) await sender.sendMessages({ body: Buffer.alloc(200_000) });
      };
      await expect(fill()).rejects.toThrow("its storage failed to commit: the disk is full.");
      expect(acknowledged).toBeGreaterThan(5);
      await broker.until("storage-failed");
      expect(broker.events.at(-1)).toMatchObject({
        level: "error",
        message:
          "Namespace sbemulatorns: The broker stopped because its storage failed to commit: the disk is full. " +
          "What was acknowledged is kept: it continues by itself once the disk can be written.",
      });
      const health = await fetch(broker.listening[0]?.health ?? "");
      expect(health.status).toBe(503);
      expect(await health.json()).toEqual({
        status: "degraded",
        message: "waybill broker: The broker stopped because its storage failed to commit: the disk is full.",
      });
      await rm(`/proc/${broker.pid}/root${disk}/other`);
      await broker.until("storage-recovered");
      expect((await fetch(broker.listening[0]?.health ?? "")).status).toBe(200);
      await client.close();
      await send(broker.connectionString, "orders", ["after"]);
      const counted = await runCommand(["entities", "list", "orders"], {
        env: { SERVICEBUS_CONNECTION_STRING: broker.connectionString },
      });
      expect(JSON.parse(counted.stdout)).toMatchObject({ counts: { active: acknowledged + 1 } });
      expect(await broker.stop()).toBe(0);
    },
  );

  it.runIf(process.platform === "linux")("ends if told to when it cannot write", async () => {
    await using folder = await openFolder();
    const file = await folder.write("Config.json", config);
    // A limit on the size of files stands for a full disk.
    const limited = ["bash", "-c", 'trap \'\' XFSZ; ulimit -f 4096; exec "$0" "$@"'];
    await using broker = await startBroker(
      ["--config", file, "--data", join(folder.path, "data"), "--exit-on-disk-failure"],
      {},
      limited,
    );
    const client = new ServiceBusClient(broker.connectionString, { retryOptions: { maxRetries: 0 } });
    const sender = client.createSender("orders");
    const fill = async () => {
      for (let sent = 0; sent < 100; sent++) await sender.sendMessages({ body: Buffer.alloc(200_000) });
    };
    await expect(fill()).rejects.toThrow("its storage failed to commit: files may not grow that far.");
    expect(await broker.ended).toBe(3);
    expect(broker.events.at(-1)).toMatchObject({
      level: "error",
      event: "storage-failed",
      message: expect.stringMatching(/What was acknowledged is kept: start again once it is mended\.$/),
    });
    await client.close();
  });

  it("does not print a key that it was given", async () => {
    await using broker = await startBroker([], { WAYBILL_BROKER_KEY: "a-secret-of-mine" });
    expect(JSON.stringify(broker.events)).not.toContain("a-secret-of-mine");
    await send(broker.connectionString.replace("***", "a-secret-of-mine"), "orders", ["x"]).then(
      () => expect.unreachable(),
      (error) => expect(error).toMatchObject({ code: "MessagingEntityNotFound" }),
    );
  });

  it("purges and resets a running broker, and the data directory of a stopped one", async () => {
    await using folder = await openFolder();
    const file = await folder.write("Config.json", config);
    const data = join(folder.path, "data");
    {
      await using broker = await startBroker(["--config", file, "--data", data]);
      const env = { SERVICEBUS_CONNECTION_STRING: broker.connectionString };
      await send(broker.connectionString, "orders", ["1", "2", "3"]);
      expect(await runCommand(["broker", "purge", "orders"], { env })).toMatchObject({
        stdout: "3 removed\n",
        exitCode: 0,
      });
      await send(broker.connectionString, "failures", ["4"]);
      expect(await runCommand(["broker", "reset", "--all"], { env })).toMatchObject({
        stdout: "emptied\n",
        exitCode: 0,
      });
      expect(await runCommand(["broker", "purge", "failures"], { env })).toMatchObject({
        stdout: "0 removed\n",
      });
      expect(await runCommand(["broker", "purge", "missing"], { env })).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("could not be found"),
      });
      await send(broker.connectionString, "failures", ["5"]);
      await broker.stop();
    }
    expect(await runCommand(["broker", "purge", "failures", "--data", data])).toMatchObject({
      stdout: "1 removed\n",
    });
  });

  it("pulls the entities of a namespace, and pushes them to another", async () => {
    await using folder = await openFolder();
    await using source = await startBroker(["--config", await folder.write("Config.json", config)]);
    await using target = await startBroker();
    const [from, to] = [source, target].map(({ connectionString }) => ({
      SERVICEBUS_CONNECTION_STRING: connectionString,
    }));
    const file = join(folder.path, "imported.json");
    expect(await runCommand(["broker", "pull", file], { env: from ?? {} })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    const imported = JSON.parse(await readFile(file, "utf8")).UserConfig.Namespaces[0];
    expect(imported).toMatchObject({
      Name: "sbemulatorns",
      Queues: [
        { Name: "failures" },
        { Name: "orders", Properties: { LockDuration: "PT30S", ForwardDeadLetteredMessagesTo: "failures" } },
      ],
      Topics: [{ Name: "events", Subscriptions: [{ Name: "some", Rules: [{ Name: "large" }] }] }],
    });
    const dry = await runCommand(["broker", "push", file], { env: to ?? {} });
    expect(dry.stdout).toContain("would make  queue orders\n");
    const done = await runCommand(["broker", "push", file, "--apply"], { env: to ?? {} });
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect(done.stdout).toContain("made        subscription events/Subscriptions/some\n");
    const again = await runCommand(["broker", "pull"], { env: to ?? {} });
    expect(JSON.parse(again.stdout).UserConfig.Namespaces[0]).toEqual(imported);
  });

  it("pulls and pushes values of rules with their types, and overwrites a file only if told to", async () => {
    await using folder = await openFolder();
    const typed = (type: string, value: string) => ({ type, value });
    const Properties = {
      text: "waybill",
      whole: 5,
      real: 2.5,
      flag: true,
      placed: typed("dateTime", "2026-01-02T03:04:05.1234567Z"),
      large: typed("long", "9007199254740993"),
      even: typed("double", "3"),
      waited: typed("duration", "P1DT2H3M"),
    };
    const Parameters = { "@since": typed("dateTime", "2026-01-02T03:04:05Z"), "@n": 5 };
    const Rules = [
      {
        Name: "correlated",
        Properties: { FilterType: "Correlation", CorrelationFilter: { Label: "placed", Properties } },
      },
      {
        Name: "sql",
        Properties: {
          FilterType: "Sql",
          SqlFilter: { SqlExpression: "placed > @since AND n = @n", Parameters },
          Action: { SqlExpression: "SET at = @since", Parameters },
        },
      },
    ];
    const Topics = [{ Name: "events", Subscriptions: [{ Name: "some", Rules }] }];
    const file = await folder.write("Config.json", JSON.stringify({ Namespaces: [{ Topics }] }));
    await using source = await startBroker(["--config", file]);
    await using target = await startBroker();
    const [from, to] = [source, target].map(({ connectionString }) => ({
      env: { SERVICEBUS_CONNECTION_STRING: connectionString },
    })) as [object, object];
    const pulled = join(folder.path, "pulled.json");
    expect(await runCommand(["broker", "pull", pulled], from)).toMatchObject({ exitCode: 0, stderr: "" });
    const rulesIn = (text: string) =>
      JSON.parse(text).UserConfig.Namespaces[0].Topics[0].Subscriptions[0].Rules;
    expect(rulesIn(await readFile(pulled, "utf8"))).toEqual(Rules);
    expect(await runCommand(["broker", "push", pulled, "--apply"], to)).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(rulesIn((await runCommand(["broker", "pull"], to)).stdout)).toEqual(Rules);
    expect(await runCommand(["broker", "pull", pulled], to)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("pulled.json exists. --overwrite replaces it."),
    });
    expect(await runCommand(["broker", "pull", pulled, "--overwrite"], to)).toMatchObject({ exitCode: 0 });
  });

  it("says why the management API does not answer", async () => {
    await using folder = await openFolder();
    const file = await folder.write("Config.json", config);
    await using broker = await startBroker([], { WAYBILL_BROKER_KEY: "the-right-key" });
    const census = (text: string) => runCommand(["census"], { env: { SERVICEBUS_CONNECTION_STRING: text } });
    const wrong = await census(broker.connectionString.replace("***", "a-wrong-key"));
    expect(wrong).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("cannot be listed: the key is wrong: no policy here has this"),
    });
    expect(wrong.stderr).not.toContain("Manage");
    const right = broker.connectionString.replace("***", "the-right-key");
    for (const args of [["pull"], ["push", file, "--apply"], ["purge", "orders"], ["reset", "--all"]]) {
      const env = { SERVICEBUS_CONNECTION_STRING: broker.connectionString.replace("***", "a-wrong-key") };
      expect(await runCommand(["broker", ...args], { env })).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("refused the request: the key is wrong: no policy"),
      });
    }
    expect(await census(right)).toMatchObject({ exitCode: 0 });
    await broker.stop();
    const refused = await runCommand(["census", "--management-port", right.match(/:(\d+);/)![1]!], {
      env: { SERVICEBUS_CONNECTION_STRING: right },
    });
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(
        /The management API does not answer at 127\.0\.0\.1:\d+ \(connection refused\)/,
      ),
    });
  });

  it("says which right a key lacks", async () => {
    await using folder = await openFolder();
    const file = await folder.write("Config.json", config);
    const keys = JSON.stringify([
      { name: "root", key: "root-key", rights: ["Manage"] },
      { name: "reader", key: "reader-key", rights: ["Listen"] },
    ]);
    await using broker = await startBroker([
      "--config",
      file,
      "--keys",
      await folder.write("keys.json", keys),
    ]);
    const env = {
      SERVICEBUS_CONNECTION_STRING: broker.connectionString
        .replace("Name=root", "Name=reader")
        .replace("***", "reader-key"),
    };
    for (const args of [["pull"], ["push", file, "--apply"], ["purge", "orders"], ["reset", "--all"]])
      expect(await runCommand(["broker", ...args], { env })).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining("refused the request: the key lacks the Manage claim."),
      });
    expect(await runCommand(["peek", "orders"], { env })).toMatchObject({ exitCode: 0 });
  });

  it("starts with what it imported, afresh and with its data, under the tier of the namespace", async () => {
    await using folder = await openFolder();
    const rule = {
      KeyName: "app",
      Rights: ["Send"],
      PrimaryKey: "the-first-key",
      SecondaryKey: "the-second-key",
    };
    const Queues = [
      {
        Name: "wide",
        Properties: { EnablePartitioning: true, MaxSizeInMegabytes: 3072, EnableExpress: true },
      },
      { Name: "orders", Properties: { AuthorizationRules: [rule] } },
      { Name: "visits", Properties: { RequiresSession: true, ForwardTo: "orders" } },
    ];
    const file = await folder.write("Config.json", JSON.stringify({ Namespaces: [{ Queues }] }));
    await using source = await startBroker(["--config", file, "--tier", "standard"]);
    const imported = join(folder.path, "imported.json");
    const env = { SERVICEBUS_CONNECTION_STRING: source.connectionString };
    const done = await runCommand(["broker", "pull", imported], { env });
    expect(done).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("orders has authorization rules"),
    });
    const text = await readFile(imported, "utf8");
    expect(text).not.toMatch(/the-first-key|MaxMessageSizeInKilobytes/);
    expect(JSON.parse(text).UserConfig.Namespaces[0].Queues).toMatchObject([
      { Name: "orders" },
      { Name: "visits", Properties: { ForwardTo: "orders" } },
      { Name: "wide", Properties: { MaxSizeInMegabytes: 49_152, EnableExpress: true } },
    ]);
    const data = join(folder.path, "data");
    for (const tier of [["--tier", "standard"], ["--tier", "standard"], []]) {
      await using again = await startBroker(["--config", imported, "--data", data, ...tier]);
      const listed = await runCommand(["broker", "pull"], {
        env: { SERVICEBUS_CONNECTION_STRING: again.connectionString },
      });
      expect(JSON.parse(listed.stdout).UserConfig.Namespaces[0].Queues[2].Properties).toMatchObject({
        EnablePartitioning: true,
        MaxSizeInMegabytes: 49_152,
      });
    }
    await using premium = await startBroker(["--tier", "premium"]);
    const to = { SERVICEBUS_CONNECTION_STRING: premium.connectionString };
    const small = { Name: "small", Properties: { MaxMessageSizeInKilobytes: 256 } };
    const config = await folder.write("small.json", JSON.stringify({ Namespaces: [{ Queues: [small] }] }));
    expect(await runCommand(["broker", "push", config, "--apply"], { env: to })).toMatchObject({
      exitCode: 0,
    });
    expect(await runCommand(["broker", "push", file, "--apply"], { env })).toMatchObject({ exitCode: 0 });
  });

  it("creates a certificate that works with both official clients, explains it, and removes it", async () => {
    await using folder = await openFolder();
    const env = { HOME: folder.path };
    expect(await runCommand(["broker", "certificate", "show"], { env })).toMatchObject({ exitCode: 1 });
    await using broker = await startBroker(["--tls"], env);
    expect(broker.connectionString).not.toContain("UseDevelopmentEmulator");
    const directory = join(folder.path, ".waybill", "tls");
    const ca = join(directory, "ca.pem");
    expect(broker.events).toContainEqual(expect.objectContaining({ event: "tls", ca }));
    expect((await stat(join(directory, "server-key.pem"))).mode & 0o777).toBe(0o600);
    const program = `
      import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
      const text = process.env.TEXT;
      await new ServiceBusAdministrationClient(text).createQueue("orders");
      const client = new ServiceBusClient(text);
      await client.createSender("orders").sendMessages({ body: "over TLS" });
      const [message] = await client.createReceiver("orders").receiveMessages(1);
      await client.close();
      process.stdout.write(message.body);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      {
        cwd: fileURLToPath(new URL("..", import.meta.url)),
        env: {
          ...process.env,
          NODE_EXTRA_CA_CERTS: ca,
          TEXT: broker.connectionString.replace("127.0.0.1", "localhost"),
        },
      },
    );
    expect(stdout).toBe("over TLS");
    expect(await runCommand(["broker", "certificate", "show"], { env })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`NODE_EXTRA_CA_CERTS=${ca}`),
    });
    await runCommand(["broker", "certificate", "create", "--host-name", "broker.test"], { env });
    const { subjectAltName } = new X509Certificate(await readFile(join(directory, "server.pem")));
    expect(subjectAltName).toContain("DNS:broker.test");
    expect(await runCommand(["broker", "certificate", "remove"], { env })).toMatchObject({ exitCode: 0 });
    await expect(stat(directory)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each([
    [["--cert", "cert.pem"], "--cert-key together"],
    [["--port", "70000"], "not a port"],
    [["--config", "/nowhere/Config.json"], "no such file"],
    [["--host", "0.0.0.0", "--port", "0", "--accept-anyone"], "loopback"],
    [["--tier", "gold"], "Allowed choices"],
  ])("refuses %j", async (args, text) => {
    const ended = await runCommand(["broker", ...args]);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(text) });
  });
});
