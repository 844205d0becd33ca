import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { describe, expect, it } from "vitest";
import {
  encoded,
  fill,
  fixture,
  openDataEnvironment,
  openFolder,
  openServerEnvironment,
  runCommand,
  waiting,
} from "./environments.test-support.js";

describe("exit codes", () => {
  it.each([
    ["an unknown command", ["peeek"], "Did you mean peek?"],
    ["a missing argument", ["peek"], "missing required argument 'entity'"],
    ["a wrong number", ["peek", "orders", "-n", "many"], '"many" must be a positive integer.'],
    ["a wrong entity", ["peek", "orders/$Transfer"], "does not name a queue or subscription"],
    ["an invalid time", ["verdict", "json", "--writers-stopped-at", "noon"], '"noon" is not an instant'],
    ["no target", ["verdict"], "Name a serializer, or --message-type together with --message-version."],
    ["a missing --settle", ["receive", "orders"], "required option '--settle <how>' not specified"],
    ["no broker", ["peek", "orders"], "Set SERVICEBUS_CONNECTION_STRING, or name a local data directory"],
    ["bytes with a type to write", ["send", "q", "--raw", "--as", "json"], "'--raw' cannot be used with"],
    ["a census of other entities", ["verdict", "json", "--census", "c", "-e", "q"], "cannot be used with"],
    [
      "a time too far in the future",
      ["send", "q", "--schedule", "9999999999d"],
      "from now is beyond the last instant",
    ],
    ["no receipts", ["dead-letters", "repair", "orders", "--apply"], "--apply needs --receipts FILE"],
    [
      "no target for the dead letters of a subscription",
      ["dead-letters", "repair", "events/Subscriptions/billing"],
      "--through-topic, with which all subscriptions of events get them",
    ],
    [
      "a plan beside that of the interrupted repair",
      ["dead-letters", "repair", "orders", "--receipts", "r", "--resume", "--rate", "5"],
      "cannot be used with",
    ],
    ["a file that does not exist", ["decode", "nowhere.bin"], "nowhere.bin"],
    ["a path through a file", ["decode", fixture("waybill.config.ts/x")], "ENOTDIR"],
    ["a name too long", ["decode", "x".repeat(5_000)], "ENAMETOOLONG"],
    ["an invalid census", ["verdict", "json", "--census", fixture("waybill.config.ts")], "is not a census"],
  ])("are 2 for %s", async (_, args, text) => {
    const ended = await runCommand(args);
    expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(text) });
  });

  it("are 3 if the broker is unreachable, does not have the entity, or is open in another process", async () => {
    await using folder = await openFolder();
    const data = (directory: string) => runCommand(["peek", "orders", "--data", directory]);
    expect(await data(`${folder.path}/nowhere`)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("no such directory"),
    });
    await using broker = await openBroker({ storage: await openDurableStorage(`${folder.path}/data`) });
    expect(await data(`${folder.path}/data`)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("open"),
    });
    await broker.close();
    expect(await data(`${folder.path}/data`)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("entity-not-found"),
    });
  });
});

describe("an interrupted repair", () => {
  it("ends with 130, and --resume continues it with its own plan", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      const messages = Array.from({ length: 20 }, (_, id) => ({
        ...encoded({ id }),
        messageId: `order-${id}`,
      }));
      await fill(broker, "orders", messages, "Poison");
    });
    const repair = ["dead-letters", "repair", "orders", "--apply", "--receipts", "r", "--wait", "200ms"];
    const firstHalf = Array.from({ length: 10 }, (_, index) => ["--number", String(index + 1)]).flat();
    const interrupted = await environment.run([...repair, "--rate", "1", ...firstHalf], {
      interruptWhen: async () => {
        const receipts = await readFile(join(environment.folder, "r"), "utf8").catch(() => "");
        return receipts.includes('"removed"');
      },
    });
    expect(interrupted).toMatchObject({
      exitCode: 130,
      stdout: "",
      stderr: expect.stringMatching(
        /^Interrupted: \d+ dead letters? (?:was|were) sent again\. To go on: --apply --receipts r --resume\.\n$/,
      ),
    });
    expect(await environment.run(repair)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /r holds an interrupted repair with another plan: the repair of orders\/\$DeadLetterQueue, begun at \S+, to orders, only those with number 1 or 2 .*, byte for byte, 1 a second\. Continue it with --resume/,
      ),
    });
    const rest = await environment.run([...repair, "--resume"]);
    expect(rest).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Continues: the repair of .* 1 a second; \d+ sent so far\.\n$/),
    });
    expect(rest.json()).toMatchObject({ possibleDuplicates: [], skipped: { "not-selected": 10 } });
    const ids = await environment.withBroker(async (broker) =>
      (await waiting(broker, { queue: "orders" })).map(({ messageId }) => messageId),
    );
    expect(new Set(ids).size).toBe(10);
    expect(ids).toHaveLength(10);
    expect(await environment.run([...repair, "--resume"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("r holds no interrupted repair of orders/$DeadLetterQueue"),
    });
  });
});

describe("an interrupted receive", () => {
  it("ends with 130 after the received messages, and loses none", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(
        broker,
        "orders",
        Array.from({ length: 500 }, (_, id) => encoded({ id })),
      );
    });
    const left = () => environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    const receive = ["receive", "orders", "--settle", "complete", "--max", "1000"];
    const ended = await environment.run(receive, { interruptWhen: async () => (await left()).length < 500 });
    expect(ended).toMatchObject({
      exitCode: 130,
      stderr: `Interrupted: ${ended.lines().length} of up to 1000 messages were completed; what was not written stays where it is. To go on, run the same command again.\n`,
    });
    expect(ended.lines().length + (await left()).length).toBe(500);
  });
});

describe("keys", () => {
  const key = "c2VjcmV0LXNlY3JldC1zZWNyZXQ=";

  it.each([
    [
      "no broker listens",
      `Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=${key};UseDevelopmentEmulator=true`,
      3,
    ],
    ["it is malformed", `Endpoint=sb:;SharedAccessKey=${key}`, 2],
    ["it is not a connection string at all", key, 2],
  ])("are not printed when %s", async (_, connectionString, exitCode) => {
    for (const args of [["peek", "orders"], ["census"], ["send", connectionString, "--body", "{}"]]) {
      const ended = await runCommand(args, { env: { SERVICEBUS_CONNECTION_STRING: connectionString } });
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stderr).not.toBe("");
      expect(ended.stdout + ended.stderr).not.toContain(key.slice(0, 12));
    }
  });

  it("are not printed if they are refused; the error suggests --entity if listing fails", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    const connectionString = environment.connectionString!.replace(
      /SharedAccessKey=[^;]+/,
      `SharedAccessKey=${key}`,
    );
    const refused = await environment.run(["peek", "orders"], {
      env: { SERVICEBUS_CONNECTION_STRING: connectionString },
    });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("unauthorized") });
    expect(refused.stderr).not.toContain(key.slice(0, 12));
    const listing = await environment.run(["census"], {
      env: { SERVICEBUS_CONNECTION_STRING: connectionString },
    });
    expect(listing).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("A command that names its entities needs no list."),
    });
  });
});

describe("configuration", () => {
  it("is TypeScript with the chain and the message types", async () => {
    const ended = await runCommand(
      ["decode", "--subject", "order-placed", "--config", fixture("waybill.config.ts")],
      {
        input: '{"id":1,"name":"Ada"}',
      },
    );
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.json()).toMatchObject({
      serializer: "json",
      position: 1,
      messageVersion: 1,
      upcastPath: [1, 2],
      value: { id: 1, customer: { name: "Ada" } },
    });
  });

  it("is found in the working directory", async () => {
    const ended = await runCommand(["decode", "--subject", "unheard-of"], { cwd: fixture("."), input: "{}" });
    expect(ended.json()).toMatchObject({ status: "undeserializable", reason: "UnknownMessageType" });
  });

  it("may be plain JavaScript", async () => {
    const ended = await runCommand(["decode", "--config", fixture("json-only.config.mjs")], {
      input: Uint8Array.of(0x80),
    });
    expect(ended.json()).toMatchObject({ attempts: [{ serializer: "json" }] });
  });

  it("is refused with an error that names its file", async () => {
    // A separate folder for each, because loaded modules are cached by path.
    const run = async (content: string) => {
      await using folder = await openFolder();
      const path = await folder.write("waybill.config.mjs", content);
      return await runCommand(["decode", "-c", path], { input: "{}" });
    };
    expect(await run("export const serializer = 1;")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("must have a default export"),
    });
    expect(await run("export default {")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("waybill.config.mjs cannot be loaded"),
    });
    expect(await run("export default { serializer: {} };")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("waybill.config.mjs"),
    });
    expect(await run("export default { serialiser: {} };")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no option "serialiser"; did you mean "serializer"?'),
    });
    expect(await run("export default { pipeline: {}, golden: {}, messageTypes: [] };")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('defineConfig: there is no option "messageTypes"'),
    });
    expect(await runCommand(["decode", "-c", "nowhere.ts"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("no configuration file"),
    });
  });
});

describe("the terminal", () => {
  it("gets colours only if they are enabled", async () => {
    const decode = (env: Record<string, string>) => runCommand(["decode", "--no-json"], { input: "{}", env });
    const escapeSequence = "\u001b[";
    expect((await decode({})).stdout).not.toContain(escapeSequence);
    expect((await decode({ FORCE_COLOR: "1" })).stdout).toContain(escapeSequence);
    expect((await decode({ FORCE_COLOR: "0" })).stdout).not.toContain(escapeSequence);
    expect((await decode({ FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain(escapeSequence);
  });

  it("shows whole headings in bold, on any number of lines", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [{ ...encoded({ id: 1 }), subject: "order-placed-in-shop" }]);
    });
    const table = ["census", "--no-json"];
    const plain = await environment.run(table);
    const { stdout } = await environment.run(table, { env: { FORCE_COLOR: "1" } });
    const [headings = ""] = plain.stdout.split("\n");
    expect(headings).toContain("ENTITY");
    expect(stdout.split("\n")[0]).toBe(`\u001b[1m${headings}\u001b[22m`);
    expect(stripVTControlCharacters(stdout)).toBe(plain.stdout);
  });

  it("shows a long table as several tables, which is much faster", async () => {
    await using environment = await openDataEnvironment();
    const messages = Array.from({ length: 501 }, (_, id) => encoded({ id }));
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", messages);
    });
    const { stdout } = await environment.run(["peek", "orders", "--max", "1000", "--no-json"]);
    expect(stdout.match(/^NUMBER .*$/gm)).toHaveLength(2);
    expect(stdout.match(/ application\/json /g)).toHaveLength(501);
  });

  it("receives no control characters from messages", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [{ ...encoded({ a: "\u009b2J" }), subject: "\u001b[2Jgone\u202e" }]);
    });
    const table = await environment.run(["peek", "orders", "--no-json", "--body"]);
    expect(table.stdout).toContain("\\u001b[2Jgone\\u202e");
    const json = await environment.run(["peek", "orders", "--body"]);
    expect(json.lines()).toMatchObject([{ subject: "\u001b[2Jgone\u202e", body: { a: "\u009b2J" } }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about these characters.
    expect(table.stdout + json.stdout).not.toMatch(/[\u001b\u009b\u202e]/);
  });
});

// A device that is always full, if the system has one.
describe.runIf(existsSync("/dev/full"))("an output that cannot be written", () => {
  it("ends the command with 4, and loses no message", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded(1), encoded(2)]);
    });
    const receive = ["receive", "orders", "--settle", "complete", "--max", "2"];
    for (const form of ["--json", "--no-json"]) {
      expect(await environment.run([...receive, form], { stdoutTo: "/dev/full" })).toMatchObject({
        exitCode: 4,
        stderr: expect.stringMatching(/^error: the standard output cannot be written: ENOSPC.*\n$/),
      });
    }
    expect(await environment.withBroker((broker) => waiting(broker, { queue: "orders" }))).toHaveLength(2);
  });

  it("of errors does not change the exit code", async () => {
    expect(await runCommand(["nonsense"], { stderrTo: "/dev/full" })).toMatchObject({ exitCode: 2 });
  });
});

describe("a message beyond the limits", () => {
  it.each([
    [["--time-to-live", "9999999999999d"], "timeToLive must be"],
    [["--property", "n:=99999999999999999999"], 'application property "n" must be'],
  ])("is refused before it is sent: %j", async (options, text) => {
    await using environment = await openDataEnvironment();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    const ended = await environment.run(["send", "orders", "--body", "1", ...options]);
    expect(ended).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(text) });
  });
});

describe("a queue that does not exist", () => {
  it("is created by send --create, with its directory", async () => {
    await using environment = await openDataEnvironment();
    expect(await environment.run(["send", "orders", "--body", "{}"])).toMatchObject({ exitCode: 3 });
    expect(await environment.run(["send", "orders", "--body", "{}", "--create"])).toMatchObject({
      exitCode: 0,
    });
    expect(await environment.run(["send", "orders", "--body", "{}", "--create"])).toMatchObject({
      exitCode: 0,
    });
    expect((await environment.run(["peek", "orders"])).lines()).toHaveLength(2);
  });
});
