import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  encoded,
  environments,
  fill,
  openDataEnvironment,
  openServerEnvironment,
  runCommand,
} from "./environments.test-support.js";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

describe.each(environments)("waybill explore on $name", ({ open }) => {
  it("prints a link that opens the page, and ends cleanly", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 })]);
    });
    await using child = startServer(["explore", "--json", ...(await placeOf(environment))], environment);
    const { url } = JSON.parse(await child.nextLine()) as { url: string };
    const opened = await ask(url);
    expect(opened.status).toBe(303);
    const cookie = String(opened.headers["set-cookie"]).split(";")[0] ?? "";
    const { origin } = new URL(url);
    const listed = await ask(`${origin}/api/messages?entity=orders`, { cookie });
    expect(JSON.parse(listed.text)).toMatchObject({ rows: [{ serializer: "json", sequenceNumber: "1" }] });
    expect(JSON.parse((await ask(`${origin}/api/about`, { cookie })).text)).toMatchObject({
      allowChanges: false,
    });
    expect(await ask(`${origin}/api/about`)).toMatchObject({ status: 403, text: "" });
    expect(await child.end()).toBe(0);
  });
});

it("shows several namespaces on one page, each entity with its namespace", async () => {
  await using shop = await openServerEnvironment();
  await using billing = await openServerEnvironment();
  for (const [id, { withBroker }] of [shop, billing].entries()) {
    await withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id }), ...(id === 0 ? [] : [encoded({ id: 2 }, "msgpack")])]);
    });
  }
  const connections = ["--connection", "shop=SHOP", "--connection", "billing=BILLING"];
  const env = { SHOP: shop.connectionString, BILLING: billing.connectionString };
  await using child = startServer(["explore", "--json", ...connections], { folder: shop.folder, env });
  const { url } = JSON.parse(await child.nextLine()) as { url: string };
  const cookie = String((await ask(url)).headers["set-cookie"]).split(";")[0] ?? "";
  const read = async (path: string) =>
    JSON.parse((await ask(`${new URL(url).origin}/api/${path}`, { cookie })).text);
  expect(await read("about")).toMatchObject({ namespace: "shop, billing" });
  expect(await read("messages?entity=billing:orders")).toMatchObject({
    rows: [{ serializer: "json" }, { serializer: "msgpack" }],
  });
  expect(await read("messages?entity=shop:orders")).toMatchObject({ rows: [{ serializer: "json" }] });
  expect(JSON.stringify(await read("entities"))).toContain("billing:orders");
  expect(await child.end()).toBe(0);
});

it("refuses an invalid origin", async () => {
  await using environment = await openDataEnvironment();
  const ended = await runCommand(["explore", "--decode-origin", "localhost:1/path"], {
    cwd: environment.folder,
  });
  expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("must be an origin") });
});

describe("waybill mcp", () => {
  it("answers an assistant over standard input and output, and writes nothing else to them", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => void (await broker.createQueue("orders")));
    await using assistant = await startAssistant(environment);
    expect(assistant.initialized).toMatchObject({ serverInfo: { name: "waybill" } });
    const listed = await assistant.callTool("list_entities");
    expect(JSON.parse(listed.content[0].text)).toMatchObject({ items: [{ path: "orders", kind: "queue" }] });
    expect(await assistant.endInput()).toBe(0);
  });

  it("shows an assistant the entities of --entity only", async () => {
    await using environment = await openDataEnvironment();
    await environment.withBroker(async (broker) => {
      for (const queue of ["orders", "salaries"]) await broker.createQueue(queue);
    });
    await using assistant = await startAssistant(environment, "--entity", "orders");
    expect(await assistant.callTool("peek_messages", { entity: "orders" })).not.toHaveProperty("isError");
    for (const name of ["peek_messages", "dead_letter_groups", "take_census"])
      expect(await assistant.callTool(name, { entity: "salaries" })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("Only these entities may be looked at: orders.") }],
      });
    expect(await assistant.endInput()).toBe(0);
  });
});

/** `waybill mcp`, and a client of the protocol that has introduced itself. */
async function startAssistant(environment: Environment, ...options: string[]) {
  const child = startServer(["mcp", ...(await placeOf(environment)), ...options], environment);
  const write = (message: object) => child.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  let id = 0;
  const call = async (method: string, params: object) => {
    write({ id: ++id, method, params });
    const answer = JSON.parse(await child.nextLine());
    expect(answer).toMatchObject({ id });
    return answer.result;
  };
  const clientInfo = { name: "test", version: "0.0.0" };
  const initialized = await call("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  });
  write({ method: "notifications/initialized" });
  return {
    ...child,
    initialized,
    callTool: (name: string, args: object = {}) => call("tools/call", { name, arguments: args }),
  };
}

type Environment = Awaited<ReturnType<typeof openDataEnvironment>>;

async function placeOf(environment: Environment): Promise<string[]> {
  return environment.connectionString === undefined ? ["--data", `${environment.folder}/broker`] : [];
}

/** Where a command runs. */
interface Place extends Partial<Pick<Environment, "connectionString">> {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The command as a process that runs until it is ended. */
function startServer(args: readonly string[], { folder, connectionString, env: more }: Place) {
  const env = { ...process.env, SERVICEBUS_CONNECTION_STRING: connectionString ?? "", ...more };
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const end = async (act: () => void): Promise<unknown> => {
    act();
    const [code] = await exited;
    return code;
  };
  return {
    nextLine: async () => String((await lines.next()).value),
    write: (line: string) => child.stdin?.write(`${line}\n`),
    end: () => end(() => child.kill("SIGINT")),
    endInput: () => end(() => child.stdin?.end()),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) await end(() => child.kill("SIGKILL"));
    },
  };
}

function ask(url: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>(
    (resolve, reject) => {
      const sent = request(url, { headers }, async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      sent.once("error", reject).end();
    },
  );
}
