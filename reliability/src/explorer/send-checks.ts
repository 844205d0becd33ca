import type { Stage } from "./browser.js";
import { type Check, expectSame } from "./check.js";

/** The form to send a message, and the list of sessions. */
export const sendChecks: readonly Check[] = [
  { title: "fills in the form from a message, and schedules it as another one", run: scheduling },
  { title: "sends a file and bytes as they are", run: raw },
  { title: "lists sessions with their counts, and leads to their messages", run: sessions },
];

async function scheduling(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "later", "messages");
  await page.getByRole("row").filter({ hasText: "question" }).click();
  await page.getByRole("link", { name: "Send as another …" }).click();
  await page.getByText(/^Filled in from message \d+ of later, without its id\.$/).waitFor();
  expectSame(
    JSON.parse(await page.getByLabel("Body, as JSON").inputValue()),
    { id: 2, lines: [{ sku: "sku-2" }] },
    "the body",
  );
  expectSame(await page.getByLabel("Reply to", { exact: true }).inputValue(), "answers", "the reply address");
  await page.getByLabel("Message id").fill("from-template");
  await page.getByLabel("Time to live").fill("86400");
  await page.getByLabel(/^Due at/).fill("2050-01-01T00:00:00");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("status").getByText("Scheduled", { exact: true }).waitFor();
  await page
    .getByRole("status")
    .getByRole("link", { name: /^№ \d+$/ })
    .click();
  const details = page.getByRole("article");
  await details.getByRole("heading", { name: "from-template" }).waitFor();
  await details.getByText("scheduled", { exact: true }).waitFor();
}

async function raw(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "later", "send");
  const kind = page.getByLabel("Body is given as");
  await kind.selectOption("A file as it is");
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "body.bin",
    mimeType: "application/octet-stream",
    buffer: Buffer.from([0xc1, 0, 0xff]),
  });
  await page.getByLabel("Content type").fill("application/x-own");
  await page.getByLabel("Message id").fill("from-file");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/from-file, application\/x-own, 3 B/).waitFor();
  await page.getByText("c1 00 ff").waitFor();
  await kind.selectOption("Bytes in Base64");
  await page.getByLabel("Body, in Base64").fill("not base64!");
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("alert").filter({ hasText: "The body is not Base64." }).waitFor();
  await page.getByLabel("Body, in Base64").fill("wQD/");
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByText("c1 00 ff").waitFor();
}

async function sessions(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "baskets", "sessions");
  await page.getByText("1 session", { exact: true }).waitFor();
  const row = page.getByRole("row").filter({ hasText: "customer-7" });
  expectSame(await row.getByRole("cell").first().textContent(), "1", "its messages");
  await row.getByRole("button", { name: /Read its state/ }).click();
  await row.getByText("items:").waitFor();
  await row.getByRole("link", { name: "customer-7" }).click();
  await page.getByRole("link", { name: "basket-1" }).click();
  await page.getByRole("article").getByText("customer-7").first().waitFor();
}
