import { describe, expect, it } from "vitest";
import { openExplorer, order } from "./fixture.test-support.js";

describe("an explorer", () => {
  it("opens once with its link, and sets a cookie that scripts and other sites cannot use", async () => {
    await using fixture = await openExplorer();
    const { search } = new URL(fixture.explorer.issueLink());
    const first = await fixture.ask(`/${search}`);
    expect(first.status).toBe(303);
    expect(String(first.headers["set-cookie"])).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(await fixture.ask(`/${search}`)).toMatchObject({ status: 403, text: "" });
  });

  it("tells a browser without access how to get in, and nothing else", async () => {
    await using fixture = await openExplorer();
    await fixture.send(order(1));
    const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-site": "none" };
    const { search } = new URL(fixture.explorer.issueLink());
    await fixture.ask(`/${search}`);
    for (const path of ["/", `/${search}`, "/?token=unknown"]) {
      const answer = await fixture.ask(path, { headers: navigation });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain("Press Enter in the terminal");
      expect(answer.text).not.toMatch(/orders|<script|token/);
    }
    for (const headers of [navigation, { ...navigation, host: "evil.example" }])
      expect(await fixture.ask("/api/entities", { headers })).toMatchObject({ status: 403, text: "" });
    expect(
      await fixture.ask("/", { headers: { ...navigation, "sec-fetch-site": "cross-site" } }),
    ).toMatchObject({
      status: 403,
      text: "",
    });
  });

  it("keeps its link valid when a browser prefetches it", async () => {
    await using fixture = await openExplorer();
    const { search } = new URL(fixture.explorer.issueLink());
    const ahead = await fixture.ask(`/${search}`, { headers: { "sec-purpose": "prefetch;prerender" } });
    expect(ahead.status).toBe(403);
    expect((await fixture.ask(`/${search}`)).status).toBe(303);
  });

  const port = "1";
  it.each([
    ["no cookie", {}],
    ["another cookie", { cookie: "waybill-explorer=1" }],
    ["a foreign host", { host: "evil.example", isMember: true }],
    ["a host that only resolves to this machine", { host: `localhost.evil.example:${port}`, isMember: true }],
    ["a foreign origin", { origin: "https://evil.example", isMember: true }],
    ["the origin of a frame without one", { origin: "null", isMember: true }],
    ["a page of another port", { "sec-fetch-site": "same-site", isMember: true }],
    ["another site", { "sec-fetch-site": "cross-site", isMember: true }],
  ])("refuses a request with %s", async (_, { isMember, ...headers }: Record<string, unknown>) => {
    await using fixture = await openExplorer();
    await fixture.send(order(1));
    const cookie = await memberCookie(fixture);
    const given = { ...(isMember === true ? { cookie } : {}), ...(headers as Record<string, string>) };
    for (const path of ["/", "/api/entities", "/api/message?entity=orders&number=1", "/decode", "/nowhere"])
      expect(await fixture.ask(path, { headers: given })).toMatchObject({ status: 403, text: "" });
  });

  it("refuses a post without an origin", async () => {
    await using fixture = await openExplorer({ allowChanges: true });
    const cookie = await memberCookie(fixture);
    const body = JSON.stringify({ entity: "orders", body: "{}" });
    const posted = await fixture.ask("/api/send", { method: "POST", headers: { cookie }, body });
    expect(posted).toMatchObject({ status: 403, text: "" });
    expect(await fixture.waiting({ queue: "orders" })).toEqual([]);
  });

  it("sends security headers with every response", async () => {
    await using fixture = await openExplorer();
    for (const answer of [await fixture.get("/api/entities"), await fixture.ask("/")]) {
      expect(answer.headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
      expect(answer.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  it("listens on the loopback address only", async () => {
    await using fixture = await openExplorer();
    expect(new URL(fixture.explorer.issueLink()).hostname).toBe("127.0.0.1");
  });

  it("lets the page of an allowed origin post to /decode only, with the cookie", async () => {
    const origin = "http://localhost:8233";
    await using fixture = await openExplorer({ decodeOrigins: [origin] });
    const cookie = await memberCookie(fixture);
    const data = Buffer.from('{"id":1}').toString("base64");
    const body = JSON.stringify({ payloads: [{ metadata: { encoding: btoa("json/plain") }, data }] });
    const asked = { method: "POST", headers: { cookie, origin, "sec-fetch-site": "same-site" }, body };
    const decoded = await fixture.ask("/decode", asked);
    expect(decoded.headers["access-control-allow-origin"]).toBe(origin);
    const { payloads } = decoded.json<{ payloads: { data: string }[] }>();
    expect(atob(payloads[0]?.data ?? "")).toBe('{"id":1}');
    expect((await fixture.ask("/decode", { ...asked, headers: { origin } })).status).toBe(403);
    expect((await fixture.ask("/api/searches", asked)).status).toBe(403);
    const preflight = await fixture.ask("/decode", { method: "OPTIONS", headers: { origin } });
    expect(preflight.status).toBe(204);
  });
});

async function memberCookie(fixture: Awaited<ReturnType<typeof openExplorer>>): Promise<string> {
  const { search } = new URL(fixture.explorer.issueLink());
  const opened = await fixture.ask(`/${search}`);
  return String(opened.headers["set-cookie"]).split(";")[0] ?? "";
}
