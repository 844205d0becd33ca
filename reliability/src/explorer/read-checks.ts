/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "waybill-harness/ports.js";
import { axeFindings, type OpenPage, type Stage, takeCensus } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { hostileIds } from "./hostile-data.js";

/** What the page shows, on the data of the demo. */
export const readChecks: readonly Check[] = [
  {
    title: "opens by its link once, and transfers at most 200 KB before there is data",
    run: firstPaint,
  },
  { title: "gives a page of another origin nothing", run: otherOrigin },
  {
    title: "lists the demo's messages by keyboard, and shows one with its value",
    run: listing,
  },
  {
    title: "shows attempts with offsets beside the bytes, and what another serializer makes of them",
    run: unreadable,
  },
  { title: "counts states, and shows scheduled, deferred, sessions and rules", run: states },
  {
    title: "searches, keeps the search as a file, and follows a conversation",
    run: searching,
  },
  { title: "takes a census, charts it and decides what can be retired", run: census },
  { title: "hands out a golden message, redacted", run: golden },
  { title: "decodes a body from elsewhere", run: decoding },
  { title: "is not harmed by HTML, scripts, ANSI, RTL marks or 16 MiB", run: hostile },
  ...(["light", "dark"] as const).map((colorScheme) => ({
    title: `axe finds nothing on any view, ${colorScheme}, wide and narrow`,
    run: (stage: Stage) => accessibility(stage, colorScheme),
  })),
];

async function firstPaint(stage: Stage): Promise<void> {
  const link = await stage.ask<string>({ ask: "link" });
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const urls = new Map<string, string>();
  let bytes = 0;
  session.on("Network.requestWillBeSent", ({ requestId, request }) => urls.set(requestId, request.url));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!urls.get(requestId)?.includes("/api/")) bytes += encodedDataLength;
  });
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
  expectThat(bytes > 0 && bytes <= 200 * 1024, `${bytes} bytes were transferred`);
  expectThat(!page.url().includes("token"), "the token stands in the address");
  const cookies = await context.cookies();
  expectSame(
    cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite })),
    [{ httpOnly: true, sameSite: "Strict" }],
    "cookies",
  );
  await context.close();
  const second = await stage.browser.newContext();
  const answer = await second.request.get(link);
  expectSame([answer.status(), (await answer.body()).length], [403, 0], "the link, opened twice");
  await second.close();
}

async function otherOrigin(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<h1>other</h1>"),
  );
  const port = await listen(server);
  const page = await opened.context.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const outcome = await page.evaluate(async (base) => {
    const tries = [`${base}/api/entities`, `${base}/decode`];
    const read = tries.map((url) =>
      fetch(url, { credentials: "include" }).then(
        () => "read",
        () => "refused",
      ),
    );
    const blind = fetch(`${base}/api/searches`, {
      method: "POST",
      mode: "no-cors",
      credentials: "include",
      body: '{"name":"forged","text":"x"}',
    });
    await blind.catch(() => {});
    return await Promise.all(read);
  }, opened.base);
  expectSame(outcome, ["refused", "refused"], "what another origin could read");
  const saved = await opened.page.evaluate(async () => await (await fetch("/api/searches")).json());
  expectSame(saved, [], "searches after the forged request");
  server.close();
}

async function listing(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "webhooks", "messages");
  const grid = page.getByRole("grid");
  await until(
    async () => (await grid.getAttribute("aria-rowcount")) === String(stage.facts.sent + 1),
    "rows",
  );
  await grid.focus();
  await page.keyboard.press("End");
  await page
    .getByRole("row")
    .filter({ hasText: `webhook-${stage.facts.sent - 1}` })
    .waitFor();
  await page.keyboard.press("Home");
  await page
    .getByRole("row")
    .filter({ hasText: /webhook-0(?!\d)/ })
    .first()
    .waitFor();
  for (let step = 0; step < 3; step++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page
    .getByRole("article")
    .getByText(/Read by|after \d/)
    .waitFor();
  expectThat((await page.getByRole("row").count()) < 80, "more rows in the page than one sees");
  expectSame(opened.complaints, [], "complaints");
}

async function unreadable(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "deliveries/$DeadLetterQueue", "dead-letters");
  await page.getByText(`${stage.facts.readable} readable now`, { exact: true }).first().waitFor();
  await page.getByText(`${stage.facts.deadLetters} dead letters`, { exact: true }).waitFor();
  const failed = page
    .getByRole("listitem")
    .filter({ hasText: "at offset" })
    .filter({ hasText: "DeserializationFailed" });
  await failed.first().getByRole("link").first().click();
  const details = page.getByRole("article");
  await details.getByText("Attempts", { exact: true }).waitFor();
  const offset = (await details.locator("tr.decisive td").nth(2).textContent())?.replaceAll(",", "");
  expectThat(/^\d+$/.test(offset ?? ""), `the offset is ${offset}`);
  expectSame(
    await details.locator("mark").first().getAttribute("title"),
    `offset ${offset}`,
    "the marked byte",
  );
  await details.getByText(/Attempts when it was dead-lettered/).waitFor();
  await details.getByLabel("Decode as …").selectOption("json");
  await details.getByText("because you asked").waitFor();
}

async function states(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "later", "messages");
  for (const [name, count] of [
    ["active", 2],
    ["deferred", 1],
    ["scheduled", 1],
  ] as const)
    await page
      .locator(".counts div")
      .filter({ hasText: name })
      .filter({ hasText: String(count) })
      .waitFor();
  await page.getByLabel("State").selectOption("scheduled");
  await page.getByText(/^due in \d+ hr\./).waitFor();
  const due = page.getByRole("row").locator("time");
  expectThat(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/.test((await due.getAttribute("title")) ?? ""),
    "no instant as the hint",
  );
  await opened.go("entity", "events/Subscriptions/billing", "rules");
  await page.getByText("amount > 100 AND sys.Label = 'order'").waitFor();
  await opened.go("entity", "baskets", "sessions");
  await page.getByRole("button", { name: /Read its state/ }).click();
  await page.getByText("items:").waitFor();
}

async function searching(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("search");
  await page.getByLabel("Path in the body").fill("$.lines[0].sku");
  await page.getByLabel("Value at the path").fill("sku-42");
  await page.getByLabel("Only in").fill("orders/$DeadLetterQueue");
  await page.getByLabel("Name, to keep it").fill("one-sku");
  await page.getByRole("button", { name: "Keep as a file" }).click();
  await page.getByRole("button", { name: "one-sku", exact: true }).click();
  await page.getByRole("link", { name: "order-42" }).waitFor();
  const file = await readFile(join(stage.directory, "searches/one-sku.search.json"), "utf8");
  expectThat(file.includes('"$.lines[0].sku"'), "the search is not in its file");
  await opened.go("conversation", "question");
  await page.getByRole("link", { name: "answer" }).waitFor();
  expectSame(await page.locator("tbody tr").count(), 2, "messages of the conversation");
}

async function census(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("census");
  for (let taken = 0; taken < 2; taken++) await takeCensus(opened);
  const chart = page.getByRole("img", { name: "Waiting messages in webhooks, over time" });
  await chart.waitFor();
  // A bar of 1 is seen beside one of a hundred: the scale is logarithmic, and has numbers.
  const whole = page.getByRole("img", { name: "Waiting messages in the namespace, over time" });
  for (const one of [whole, chart]) await one.getByText("100", { exact: true }).waitFor();
  const heights = await whole
    .locator("rect")
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
  expectThat(heights.length > 0 && Math.min(...heights) > 20, `a bar is ${Math.min(...heights)} high`);
  const colours = async (within: typeof whole) => [
    ...new Set(
      await within
        .locator("rect")
        .filter({ hasText: " msgpack" })
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute("class"))),
    ),
  ];
  expectSame(
    [await colours(whole), await colours(chart)],
    [["series-2"], ["series-2"]],
    "MessagePack's colour",
  );
  const shades = await page
    .getByRole("img", { name: "Waiting messages in parcels, over time" })
    .locator("rect")
    .filter({ hasText: / json v\d/ })
    .evaluateAll((bars) =>
      bars.map((bar) => `${bar.textContent?.split(" ").at(-1)} ${bar.getAttribute("fill-opacity")}`),
    );
  const ofVersions = [...new Set(shades)].toSorted();
  expectSame(ofVersions, ["v1 0.4", "v2 0.7"], "the shades of the versions of JSON");
  await page
    .getByText(/msgpack: \d+/)
    .first()
    .waitFor();
  await page.getByLabel("Serializer or version").selectOption({ label: "msgpack" });
  await page.getByRole("button", { name: "Decide" }).click();
  await page.getByText("Not safe to retire yet").waitFor();
  await page.getByText("waiting:", { exact: false }).first().waitFor();
}

async function golden(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "orders/$DeadLetterQueue", "messages", "1");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download, redacted" }).click();
  const text = await readFile(await (await download).path(), "utf8");
  expectThat(
    text.includes('"waybillGolden": 1') && !text.includes("sku-"),
    "the download is not a redacted golden message",
  );
}

async function decoding(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("decode");
  await page.getByLabel("Or Base64").fill(btoa('{"total":12345678901234567890}'));
  await page.getByLabel("Content type").fill("application/json");
  await page.getByRole("button", { name: "Decode" }).click();
  await page.getByText("12345678901234567890").waitFor();
}

async function hostile(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  for (const [index, id] of hostileIds.entries()) {
    const startedAt = Date.now();
    await opened.go("entity", "hostile", "messages", String(index + 1));
    await page
      .getByRole("article", { name: `Message ${index + 1}` })
      .getByText(/Read by|after \d/)
      .waitFor();
    expectThat(Date.now() - startedAt < 10_000, `${id} took ${Date.now() - startedAt} ms`);
    expectThat((await page.locator("*").count()) < 6_000, `${id} fills the page`);
    if (id === "rtl") await page.getByText("\\u202e").first().waitFor();
    if (id === "ansi") await page.getByText("\\u001b").first().waitFor();
  }
  const harm = await page.evaluate(() => [
    (globalThis as { harmed?: string }).harmed ?? null,
    document.querySelectorAll("#app img, #app iframe, #app script").length,
    document.title,
  ]);
  expectSame(harm.slice(0, 2), [null, 0], "what the bodies did");
  expectSame(opened.complaints, [], "complaints");
}

const views: readonly (readonly string[])[] = [
  [],
  ["entity", "webhooks", "messages"],
  ["entity", "webhooks", "messages", "3"],
  ["entity", "hostile", "messages", "2"],
  ["entity", "deliveries/$DeadLetterQueue", "dead-letters"],
  ["entity", "orders", "messages"],
  ["entity", "orders/$DeadLetterQueue", "edit", "1"],
  ["entity", "orders", "send"],
  ["entity", "baskets", "sessions"],
  ["entity", "events/Subscriptions/billing", "rules"],
  ["search"],
  ["census"],
  ["conversation", "question"],
  ["decode"],
];

async function accessibility(stage: Stage, colorScheme: "light" | "dark"): Promise<void> {
  for (const width of [1280, 360]) {
    await using opened = await stage.open({ colorScheme, width });
    for (const view of views) {
      await opened.go(...view);
      await settled(opened);
      expectSame(await axeFindings(opened), [], `axe at /${view.join("/")}, ${width} wide`);
      const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expectThat(overflow <= 0, `/${view.join("/")} is ${overflow} pixels wider than ${width}`);
    }
    await repairDialog(opened);
  }
}

async function repairDialog(opened: OpenPage): Promise<void> {
  await opened.go("entity", "orders/$DeadLetterQueue", "dead-letters");
  const repair = opened.page.getByRole("button", { name: "Repair all …" });
  if ((await opened.page.getByText("readable now").count()) === 0) await settled(opened);
  await repair.waitFor();
  await repair.click();
  await opened.page.getByRole("button", { name: "Dry run" }).click();
  await opened.page.getByText("byte-identical").first().waitFor();
  expectSame(await axeFindings(opened), [], "axe in the repair");
}

/** When nothing is loading any more. */
async function settled({ page }: OpenPage): Promise<void> {
  await page.waitForTimeout(150);
  await until(async () => (await page.getByText("Loading…").count()) === 0, "the page to be loaded");
  await until(async () => (await page.locator('[aria-busy="true"]').count()) === 0, "the list to be loaded");
}
