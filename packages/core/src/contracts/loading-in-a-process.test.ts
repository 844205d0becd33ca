import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** Hooks of Node's loader: they write down what is loaded, and find a file missing until a program has it restored. */
const hooks = `
  import { appendFileSync, existsSync } from "node:fs";
  let settings;
  export const initialize = (given) => void (settings = given);
  export async function resolve(specifier, context, next) {
    if (settings.missing !== undefined && specifier.endsWith(settings.missing) && !existsSync(settings.restored))
      throw new Error("There is no " + specifier);
    // Otherwise the transport of these programs would load it all.
    if (specifier === "@waybill/core/everything" && !settings.isProvided)
      return { url: "data:text/javascript,export const provideEverything = () => {};", shortCircuit: true };
    return next(specifier, context);
  }
  export async function load(url, context, next) {
    appendFileSync(settings.loaded, url + "\\n");
    return next(url, context);
  }`;

/** What every program begins with: a broker with queues, and a client. */
const prelude = `
  import { readFileSync, writeFileSync } from "node:fs";
  import { setImmediate as turn } from "node:timers/promises";
  import { createBroker, createManualClock } from "@waybill/broker";
  import { createPipeline, WaybillClient, WaybillError } from "@waybill/core";
  import { json } from "@waybill/serializer-json";
  import { localTransport } from "@waybill/transport-local";
  const clock = createManualClock();
  const broker = createBroker({ clock });
  await broker.createQueue("orders", { lockDurationMs: 5_000 });
  await broker.createQueue("visits", { requiresSession: true });
  const transport = localTransport(broker);
  const unavailableBackoff = { initialDelayInMs: 10, maxDelayInMs: 10 };
  const client = new WaybillClient(transport, { serializer: json(), unavailableBackoff });
  const sender = client.createSender("orders");
  const seen = [];
  const loadedUrls = () => readFileSync(process.env.LOADED, "utf8");
  const restore = () => writeFileSync(process.env.RESTORED, "");
  const until = async (holds) => { while (!holds()) { clock.advance(100); await turn(); } };
  const errorOf = async (call) => { try { await call(); } catch (error) { return error.code + ": " + error.text; } };
  const end = async () => { await client.close(); await transport.close(); await broker.close(); console.log(JSON.stringify(seen)); };
`;

interface Run {
  /** What the program wrote. */
  readonly seen: readonly unknown[];
  /** The URLs of the modules that it loaded. */
  readonly loaded: ReadonlySet<string>;
}

/** Runs a program with the packages as they are published, in a process in which a file cannot be found until it calls `restore`. */
async function runProgram(source: string, missing?: string, isProvided = false): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-loading-"));
  try {
    const [hooksPath, loaded, restored] = ["hooks.mjs", "loaded", "restored"].map((name) =>
      join(folder, name),
    );
    await writeFile(hooksPath!, hooks);
    const register = `import { register } from "node:module";
      register(${JSON.stringify(pathToFileURL(hooksPath!))}, { data: ${JSON.stringify({ loaded, restored, missing, isProvided })} });`;
    const first = `data:text/javascript,${encodeURIComponent(register)}`;
    const args = ["--import", first, "--input-type=module", "--eval", `${prelude}${source}\nawait end();`];
    const { stdout } = await run(process.execPath, args, {
      cwd: root,
      env: { ...process.env, LOADED: loaded, RESTORED: restored },
      // A program that waits for what never comes must not outlast its test.
      timeout: 110_000,
    });
    return { seen: JSON.parse(stdout), loaded: new Set((await readFile(loaded!, "utf8")).split("\n")) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The files that core imports with `import()`. */
async function laterFiles(): Promise<string[]> {
  const dist = pathToFileURL(join(root, "dist/"));
  const paths = await readdir(dist, { recursive: true });
  const found = paths
    .filter((path) => path.endsWith(".js") && !path.includes(".test"))
    .map(async (path) => {
      const url = new URL(path.replaceAll("\\", "/"), dist);
      const imports = (await readFile(url, "utf8")).matchAll(/\bimport\("([^"]+)"\)/g);
      return Array.from(imports, ([, specifier]) => new URL(specifier!, url).href);
    });
  return [...new Set((await Promise.all(found)).flat())];
}

describe("a process", () => {
  it("that only sends reads no file of code that is loaded later", async () => {
    const { loaded } = await runProgram("await sender.sendMessages([{ body: 1 }, { body: 2 }]);");
    expect(loaded).toContain(pathToFileURL(join(root, "dist/client/client.js")).href);
    expect((await laterFiles()).filter((url) => loaded.has(url))).toEqual([]);
    expect(Array.from(loaded).filter((url) => url.includes("/dist/receive/holding/"))).toEqual([]);
  });

  it("that makes a receiver reads its code at once, what handles unreadable messages included", async () => {
    const { seen } = await runProgram(`
      const receiver = client.createReceiver("orders");
      const names = ["loaded-receiver.js", "settle-undecoded.js", "circuit-breaker.js", "set-aside.js"];
      await until(() => names.every((name) => loadedUrls().includes("/" + name + "\\n")));
      seen.push(receiver.isClosed);`);
    expect(seen).toEqual([false]);
  });

  it("that sends and receives reads no files of sessions, requests, rehearsals or encryption", async () => {
    const { seen, loaded } = await runProgram(`
      await sender.sendMessages([{ body: 1 }, { body: 2 }]);
      const receiver = client.createReceiver("orders");
      const [first] = await receiver.receiveMessages(1);
      seen.push(first.body);
      await receiver.completeMessage(first);
      await receiver.close();
      client.subscribe("orders", { processMessage: ({ body }) => void seen.push(body), processError: () => {} });
      await until(() => seen.length === 2);`);
    expect(seen).toEqual([1, 2]);
    const later = await laterFiles();
    expect(later.length).toBeGreaterThan(5);
    expect(later.filter((url) => loaded.has(url))).toEqual([
      pathToFileURL(join(root, "dist/client/receiver-context-factory.js")).href,
    ]);
  });

  it("reads them with the first use", async () => {
    const { seen, loaded } = await runProgram(`
      const visits = await client.acceptSession("visits", "a");
      seen.push(visits.sessionId);
      await visits.close();
      seen.push((await client.rehearse("orders")).entityPath);`);
    expect(seen).toEqual(["a", "orders"]);
    const names = Array.from(loaded, (url) => url.slice(url.lastIndexOf("/") + 1));
    expect(names).toEqual(expect.arrayContaining(["session-receiver.js", "rehearse.js"]));
    expect(names).not.toContain("client-requests.js");
  });

  it("counts a request as pending while its code is loaded", async () => {
    const { seen } = await runProgram(`
      const requester = client.createRequester("orders");
      const reply = requester.request("orders", { body: 1 }, { timeoutInMs: 10 });
      seen.push(requester.pendingRequestCount);
      reply.catch(({ code }) => seen.push(code, requester.pendingRequestCount));
      await until(() => seen.length === 3);`);
    expect(seen).toEqual([1, "timeout", 0]);
  });
});

describe("a client over the local transport", () => {
  it("finds all code that is loaded later in the process, so that nothing waits while a test's clock passes", async () => {
    const { seen, loaded } = await runProgram(
      `await sender.sendMessages({ body: 1 });
       client.subscribe("orders", { processMessage: ({ body }) => void seen.push(body), processError() {} });
       // Files are read between turns of the event loop: there is none here.
       for (let i = 0; i < 1_000; i++) await undefined;`,
      undefined,
      true,
    );
    expect(seen).toEqual([1]);
    expect((await laterFiles()).filter((url) => !loaded.has(url))).toEqual([]);
  });
});

describe("code that cannot be loaded", () => {
  it("for receivers is reported and loaded again by a subscription", async () => {
    const { seen } = await runProgram(
      `await sender.sendMessages({ body: 1 });
       client.subscribe("orders", {
         processMessage: ({ body }) => void seen.push(body),
         processError: ({ error, errorSource, entityPath }) => { seen.push(errorSource, entityPath, error.text); restore(); },
       });
       await until(() => seen.at(-1) === 1);`,
      "receiver-context-factory.js",
    );
    const text = expect.stringMatching(/^The code for receivers could not be loaded/);
    expect(seen.slice(0, 3)).toEqual(["receive", "orders", text]);
    expect(seen.at(-1)).toBe(1);
  });

  it("for sessions is reported and loaded again by a subscription", async () => {
    const { seen } = await runProgram(
      `await client.createSender("visits").sendMessages({ sessionId: "a", body: 1 });
       client.subscribeSessions("visits", {
         processMessage: ({ body }) => void seen.push(body),
         processError: ({ error, errorSource }) => { seen.push(errorSource, error.text); restore(); },
       });
       await until(() => seen.at(-1) === 1);`,
      "session-processor.js",
    );
    expect(seen).toEqual(["acceptSession", expect.stringMatching(/^The code for sessions could not be/), 1]);
  });

  it("does not keep a client from closing", async () => {
    const { seen } = await runProgram(
      `const receiver = client.createReceiver("orders");
       receiver.subscribe({ processMessage() {}, processError: ({ error }) => void seen.push(error.code) });
       await until(() => seen.length >= 2);
       await receiver.close();
       seen.push(await errorOf(() => client.createReceiver("orders").close()));`,
      "receiver-context-factory.js",
    );
    expect(seen.slice(0, 2)).toEqual(["unavailable", "unavailable"]);
    expect(seen.at(-1)).toBeNull();
  });

  it("does not keep a client with sessions and requests from closing", async () => {
    const { seen } = await runProgram(
      `client.subscribeSessions("visits", { processMessage() {}, processError: ({ error }) => void seen.push(error.code) });
       const request = client.request("orders", { body: 1, replyTo: "replies" });
       request.catch(({ code }) => void seen.push(code));
       await until(() => seen.length >= 2);`,
      "session-processor.js",
    );
    expect(seen).toContain("unavailable");
  });

  it.each([
    ["sessions/session-receiver.js", `client.acceptSession("visits", "a")`, "sessions", "done"],
    ["rehearse.js", `client.rehearse("orders")`, "rehearsals", "done"],
    [
      "client-requests.js",
      `client.createRequester("orders").request("orders", { body: 1 }, { timeoutInMs: 10 })`,
      "requests and replies",
      "timeout",
    ],
    [
      "client-requests.js",
      `client.requestMany("orders", { body: 1, replyTo: "orders" }, { timeoutInMs: 10 }).next()`,
      "requests and replies",
      "done",
    ],
    ["receiver-context-factory.js", `client.createReceiver("orders").peekMessages(1)`, "receivers", "done"],
    [
      "receiver-context-factory.js",
      `sender.sendMessages({ body: 1 }).then(() => client.createReceiver("orders").getMessageIterator().next())`,
      "receivers",
      "done",
    ],
  ])("rejects the call that needs it, not the next one: %s for %s", async (missing, call, name, next) => {
    const { seen } = await runProgram(
      `seen.push(await errorOf(() => ${call}));
       restore();
       ${call}.then(() => seen.push("done"), ({ code }) => seen.push(code));
       await until(() => seen.length === 2);`,
      missing,
    );
    expect(seen).toEqual([
      expect.stringContaining(`unavailable: The code for ${name} could not be loaded`),
      next,
    ]);
  });

  it("for encryption makes a body unavailable, not unreadable", async () => {
    const { seen } = await runProgram(
      `const key = { id: "k", key: new Uint8Array(32) };
       const keys = { currentKey: () => key, findKey: () => key.key };
       const pipeline = createPipeline({ serializer: json(), encryption: { keys } });
       seen.push(await errorOf(async () => pipeline.serialize({ body: 1 })));
       const named = { "waybill-encryption": "AES-256-GCM" };
       const read = async () => pipeline.deserialize({ body: new Uint8Array(20), applicationProperties: named });
       seen.push((await read()).status);
       restore();
       seen.push((await read()).status);`,
      "sealed-body.js",
    );
    expect(seen).toEqual([
      expect.stringMatching(/^unavailable: The code for encryption and claim checks could not be loaded/),
      "unavailable",
      "undeserializable",
    ]);
  });
});
