import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { localCatalog } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { garbage, openExplorer, order, pipeline } from "./fixture.test-support.js";
import { createMcpServer } from "./mcp/mcp-server.js";

/** A client of the protocol, and an explorer of the same broker. */
async function openClient() {
  const fixture = await openExplorer();
  const { transport, broker, directory } = fixture;
  const server = createMcpServer(
    { transport, pipeline, catalog: localCatalog(broker), namespace: "test", directory },
    "0.0.0",
  );
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "0.0.0" });
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    fixture,
    client,
    call: async (name: string, input: Record<string, unknown> = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [{ text } = { text: "" }] = content as { text: string }[];
      return { isError: isError === true, text, value: isError === true ? undefined : JSON.parse(text) };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe("the tools of an assistant", () => {
  it("only read, and are declared read-only", async () => {
    await using opened = await openClient();
    const { tools } = await opened.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_entities",
      "dead_letter_groups",
      "peek_messages",
      "decode_message",
      "decode_body",
      "take_census",
      "retirement_verdict",
    ]);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  });

  it("show entities, messages, values and dead letters", async () => {
    await using opened = await openClient();
    await opened.fixture.send(order(12345678901234567890n), garbage);
    await opened.fixture.deadLetter(2);
    await opened.fixture.send(order(3));
    expect((await opened.call("list_entities")).value).toMatchObject([
      { path: "orders", counts: { deadLetter: 2 } },
    ]);
    expect((await opened.call("peek_messages", { entity: "orders" })).value.rows).toMatchObject([
      { messageId: "order-3", serializer: "json" },
    ]);
    const dead = { entity: "orders/$DeadLetterQueue", sequenceNumber: "1" };
    expect((await opened.call("decode_message", dead)).text).toContain("12345678901234567890");
    const groups = await opened.call("dead_letter_groups", { entity: "orders" });
    expect(groups.value).toMatchObject({ peeked: 2, readable: 1 });
    const body = { base64: btoa('{"a":1}'), contentType: "application/json" };
    expect((await opened.call("decode_body", body)).value).toMatchObject({
      status: "decoded",
      serializer: "json",
    });
  });

  it("take a census, and decide what can be retired", async () => {
    await using opened = await openClient();
    await opened.fixture.send(order(1));
    expect((await opened.call("take_census")).value.groups).toMatchObject([{ serializer: "json", count: 1 }]);
    expect((await opened.call("retirement_verdict", { serializer: "json" })).value).toMatchObject({
      answer: "no",
      waiting: 1,
    });
  });

  it("explain the error of an invalid call", async () => {
    await using opened = await openClient();
    expect(await opened.call("peek_messages", { entity: "nowhere" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("entity-not-found"),
    });
    expect((await opened.call("retirement_verdict")).text).toContain("Name a serializer");
  });
});
