import { describe, expect, it } from "vitest";
import { withGuides } from "./api-guides.js";

const code = (name: string) => `\`\`\`ts file=x.ts\nimport { take } from "${name}";\n\`\`\`\n`;
const pages = [
  { link: "/census", title: "Census", text: `# Census\n\n${code("@waybill/migration/census")}` },
  {
    link: "/verdict",
    title: "Verdict",
    text: `# Verdict\n\n${code("@waybill/migration/census")}${code("@waybill/migration/census")}`,
  },
  { link: "/sending", title: "Sending", text: `# Sending\n\n${code("@waybill/core")}` },
  { link: "/packages/migration", title: "@waybill/migration", text: "# @waybill/migration\n" },
];
const page = "# @waybill/migration/census\n\n## Functions\n";

describe("withGuides", () => {
  it("leads to the package's page and to the pages whose code imports the module, the most often first", () => {
    expect(withGuides(page, pages)).toContain(
      "How it is used: [@waybill/migration](/packages/migration) · [Verdict](/verdict) · [Census](/census)\n",
    );
  });

  it("shows an example, without the place it was copied from", () => {
    expect(withGuides(page, pages)).toContain(
      '```ts\nimport { take } from "@waybill/migration/census";\n```\n\n<!-- /guides -->\n\n## Functions\n',
    );
  });

  it("shows code that uses what the module has where none imports it", () => {
    const using = {
      link: "/repair",
      title: "Repair",
      text: "# Repair\n\n```ts\nawait repairAll(queue);\n```\n",
    };
    const text = "# @waybill/migration/repair\n\n## Functions\n\n### repairAll()\n";
    expect(withGuides(text, [...pages, using])).toContain("```ts\nawait repairAll(queue);\n```\n");
  });

  it("replaces what an earlier build has added", () => {
    const once = withGuides(page, pages);
    expect(withGuides(once, pages)).toBe(once);
  });
});
