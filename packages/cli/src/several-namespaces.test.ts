import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { queueReadStore } from "@waybill/migration/census";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { encoded, fill, openFolder, runCommand } from "./environments.test-support.js";

/** Two namespaces over AMQP, each with a queue `orders`. */
async function openNamespaces() {
  const folder = await openFolder();
  const [shop, billing] = [createBroker(), createBroker()];
  const servers = [await serve(shop, { port: 0 }), await serve(billing, { port: 0 })] as const;
  await shop.createQueue("orders");
  await fill(shop, "orders", [encoded({ id: 1 })]);
  await billing.createQueue("orders");
  await billing.createQueue("archive");
  await billing.createQueue("inbox", { forwardTo: "archive" });
  await fill(billing, "orders", [encoded({ id: 1 }), encoded({ id: 2 }, "msgpack")]);
  const env = { SHOP: servers[0].connectionString, BILLING: servers[1].connectionString };
  return {
    shop,
    billing,
    env,
    run: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runCommand([...args, "--connection", "shop=SHOP", "--connection", "billing=BILLING"], {
        cwd: folder.path,
        env: { ...env, ...more },
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all([shop.close(), billing.close()]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface PrintedCensus {
  readonly groups: readonly {
    readonly entityPath: string;
    readonly serializer: string;
    readonly count: number;
  }[];
  readonly places: readonly { readonly entityPath: string; readonly end: string }[];
}

describe("several namespaces", () => {
  it("are in one census, in which entities of one name stay apart", async () => {
    await using several = await openNamespaces();
    const { groups, places } = (await several.run(["census", "--json"])).json<PrintedCensus>();
    expect(groups.map(({ entityPath, serializer, count }) => [entityPath, serializer, count])).toEqual([
      ["billing:orders", "json", 1],
      ["billing:orders", "msgpack", 1],
      ["shop:orders", "json", 1],
    ]);
    const paths = new Set(places.map(({ entityPath }) => entityPath));
    expect([...paths].sort()).toEqual(["billing:archive", "billing:inbox", "billing:orders", "shop:orders"]);
  });

  it("share the work through a queue of one of them", async () => {
    await using several = await openNamespaces();
    await several.shop.createQueue("jobs", { requiresSession: true });
    const counted = await several.run(["census", "--json", "--work-queue", "shop:jobs"]);
    const found = counted.json<PrintedCensus>().groups.map(({ entityPath }) => entityPath);
    expect(found).toEqual(expect.arrayContaining(["billing:orders", "shop:orders"]));
  });

  it("are all heard by a verdict, with the records of consumers in each", async () => {
    await using several = await openNamespaces();
    const stopped = ["--writers-stopped-at", new Date().toISOString(), "--session-states-are-free"];
    for (const [name, broker] of Object.entries({ shop: several.shop, billing: several.billing })) {
      await broker.createQueue("reads");
      await using transport = localTransport(broker);
      const now = new Date();
      const record = { reader: `consumer-of-${name}`, instance: "1", since: now, recordedAt: now, reads: [] };
      await queueReadStore(transport, "reads").record(record);
    }
    const readers = ["--reader", "consumer-of-shop", "--reader", "consumer-of-billing"];
    const reads = ["--reads", "shop:reads", "--reads", "billing:reads", ...readers];
    const verdict = ["verdict", "msgpack", "--json", ...stopped, ...reads];
    const no = await several.run(verdict);
    expect(no.json()).toMatchObject({
      answer: "no",
      reasons: [{ obstacle: "waiting", place: "billing:orders", count: 1 }],
    });
    await several.billing.purge("orders");
    expect(await several.run(verdict)).toMatchObject({ exitCode: 0 });
  });

  it("are named where one of them cannot be counted", async () => {
    await using several = await openNamespaces();
    const entities = ["shop:orders", "billing:missing"].flatMap((path) => ["--entity", path]);
    const ended = await several.run(["census", "--no-json", ...entities]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain("billing:missing: entity-not-found");
  });

  it("refuse a connection string on the command line, an unset variable, and an entity without its namespace", async () => {
    await using several = await openNamespaces();
    const refused = async (...args: readonly string[]) => {
      const { exitCode, stderr } = await several.run(["census", ...args]);
      expect(exitCode).toBe(2);
      return stderr;
    };
    const given = await refused("--connection", `third=${several.env.SHOP}`);
    expect(given).toContain("takes no connection string");
    expect(given).not.toContain("SharedAccessKey=");
    const halfSet = await several.run(["census"], {
      BILLING: "Endpoint=sb://localhost;SharedAccessKeyName=a",
    });
    expect(halfSet.stderr).toContain("BILLING is not a connection string");
    expect(await refused("--connection", "third=THIRD")).toContain("THIRD, which is not set");
    expect(await refused("--connection", "shop=SHOP")).toContain("names shop twice");
    expect(await refused("--entity", "orders")).toContain('"orders" has to begin with the name of its');
    expect(await refused("--data", ".")).toContain("neither --data nor --namespace");
  });
});
