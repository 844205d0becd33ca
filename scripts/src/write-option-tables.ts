import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readOptionPages } from "./option-tables/read-option-pages.js";

// Writes the option tables of the packages' READMEs and of docs/ again, and the tables of the SDK's names; the test of the docs says when that is due.

for (const { path, text, filled } of readOptionPages(fileURLToPath(new URL("../../", import.meta.url)))) {
  if (text === filled) continue;
  writeFileSync(path, filled);
  console.log(`wrote ${path}`);
}
