import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readOptionPages } from "./read-option-pages.js";

// Rewrites the option tables of the packages' READMEs and of docs/, and the tables of the SDK's names; the test of the docs fails if they are outdated.

for (const { path, text, filled } of readOptionPages(fileURLToPath(new URL("../../../", import.meta.url)))) {
  if (text === filled) continue;
  writeFileSync(path, filled);
  console.log(`wrote ${path}`);
}
