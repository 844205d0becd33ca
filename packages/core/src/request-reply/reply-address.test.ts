import { describe, expect, it } from "vitest";
import { replyEntity } from "./reply-address.js";

const shop = "Shop.servicebus.windows.net";
const entityOf = (replyTo: string, namespace: string | undefined = shop) =>
  replyEntity(replyTo, namespace, "id");

describe("the entity that a replyTo names", () => {
  it.each([
    ["replies", "replies"],
    ["teams/a/replies", "teams/a/replies"],
    ["sb://shop.servicebus.windows.net/replies", "replies"],
    ["sb://shop.servicebus.windows.net/replies/", "replies"],
    ["amqps://SHOP.servicebus.windows.net:5671/Replies", "Replies"],
    ["amqp://shop.servicebus.windows.net:5672/teams/a", "teams/a"],
    ["https://shop.servicebus.windows.net/my%20queue", "my queue"],
    ["HTTP://shop.servicebus.windows.net//replies", "replies"],
    ["amqps://root:secret@shop.servicebus.windows.net/replies?timeout=5#top", "replies"],
  ])("is, in the client's namespace, that of %s", (replyTo, entity) => {
    expect(entityOf(replyTo)).toBe(entity);
  });

  it.each(["localhost", "127.0.0.1", "::1"])(
    "is the same with every name of this machine, such as %s",
    (namespace) => {
      for (const host of ["localhost", "127.0.0.1:5672", "[::1]:5671"]) {
        expect(entityOf(`sb://${host}/replies`, namespace)).toBe("replies");
      }
      expect(() => entityOf("sb://localhost/replies", shop)).toThrow("in the namespace 'localhost'");
    },
  );

  it.each([
    [
      "sb://other.servicebus.windows.net/replies",
      /in the namespace 'other\.servicebus\.windows\.net', and this client sends within 'Shop/,
    ],
    [
      "sb://shop.servicebus.windows.net.evil.example/replies",
      /'shop\.servicebus\.windows\.net\.evil\.example'/,
    ],
    ["sb://shop.servicebus.windows.net@evil.example/replies", /'evil\.example'/],
    ["amqps://key:secret@other.example/replies", /'other\.example'/],
    ["sb://shop.servicebus.windows.net/", /names no queue or topic/],
    ["sb://shop.servicebus.windows.net", /names no queue or topic/],
    ["sb:///replies", /names no queue or topic|in the namespace ''/],
    ["sb://shop.servicebus.windows.net/%zz", /names no queue or topic/],
    ["ftp://shop.servicebus.windows.net/replies", /of the scheme ftp/],
    ["file:///replies", /of the scheme file/],
  ])("is refused for %s", (replyTo, text) => {
    expect(() => entityOf(replyTo)).toThrow(
      expect.objectContaining({
        code: "operation-invalid",
        messageId: "id",
        message: expect.stringMatching(text),
      }),
    );
    expect(() => entityOf(replyTo)).not.toThrow(/secret/);
  });

  it("is refused for any absolute address if the namespace is not known", () => {
    expect(() => replyEntity("sb://shop.servicebus.windows.net/replies", undefined, "id")).toThrow(
      "this client sends within no namespace that it knows of; name the queue or topic in the options",
    );
  });
});
