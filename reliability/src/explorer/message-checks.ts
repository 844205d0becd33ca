/// <reference lib="dom" />
import type { Stage } from "./browser.js";
import { type Check, expectSame, expectThat } from "./check.js";

/** One message of the page: its views, its tree, and what can be copied. */
export const messageChecks: readonly Check[] = [
  {
    title: "shows text as text and JSON whatever the chain says, and keeps the view in the address",
    run: views,
  },
  { title: "folds and searches the tree of a value", run: tree },
  { title: "copies body, value, properties and ids", run: copying },
];

async function views(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  // HTML that no serializer of the chain reads.
  await opened.go("entity", "hostile", "messages", "2");
  const details = page.getByRole("article");
  await details
    .getByText(/after \d/)
    .first()
    .waitFor();
  await details.getByRole("button", { name: "Text", exact: true }).click();
  await details.locator("pre", { hasText: "<img src=x onerror=" }).waitFor();
  expectThat(page.url().includes("view=text"), "the view is not in the address");
  await page.reload();
  await details.locator("pre", { hasText: "<img src=x onerror=" }).waitFor();
  await details.getByRole("button", { name: "JSON", exact: true }).click();
  await details.getByText("This text is no JSON object or list.").waitFor();
  // The same for a body that the chain reads.
  await opened.go("entity", "orders/$DeadLetterQueue", "messages", "8");
  await details.getByRole("button", { name: "Text", exact: true }).click();
  await details.locator("pre", { hasText: '{"id":7,"lines":[{"sku":"sku-7"}]}' }).waitFor();
  await details.getByRole("button", { name: "JSON", exact: true }).click();
  await details.locator(".leaf", { hasText: "sku-7" }).waitFor();
  expectSame(opened.complaints, [], "complaints");
}

async function tree(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "orders/$DeadLetterQueue", "messages", "8");
  const value = page.getByRole("region", { name: "Value" });
  const leaf = value.getByText('"sku-7"');
  await value.getByRole("button", { name: "Fold all", exact: true }).click();
  expectSame(await leaf.isVisible(), false, "whether a leaf is visible in a folded tree");
  await value.getByRole("searchbox", { name: "Find in the value" }).fill("SKU-7");
  await leaf.waitFor();
  await value.getByText("1 place in what is loaded").waitFor();
  expectSame(await value.locator(".found").count(), 1, "what is marked");
  await value.getByRole("searchbox").fill("");
  expectSame(await leaf.isVisible(), false, "whether it is visible after the search");
  await value.getByRole("button", { name: "Unfold all" }).click();
  await leaf.waitFor();
}

async function copying(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page, context } = opened;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await opened.go("entity", "orders/$DeadLetterQueue", "messages", "8");
  const copied = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor();
    return await page.evaluate(() => navigator.clipboard.readText());
  };
  expectSame(await copied("Copy body"), '{"id":7,"lines":[{"sku":"sku-7"}]}', "the body");
  expectSame(
    JSON.parse(await copied("Copy value, as JSON")),
    { id: 7, lines: [{ sku: "sku-7" }] },
    "the value",
  );
  expectSame(await copied("Copy messageId"), "order-7", "the message id");
  expectSame(await copied("Copy sequenceNumber"), "8", "the sequence number");
  const properties = JSON.parse(await copied("Copy all properties, as JSON")) as Record<string, string>;
  expectSame(properties.deadLetterReason, "PaymentServiceDown", "a property");
}
