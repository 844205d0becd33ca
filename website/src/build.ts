import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { output, root, site } from "./paths.js";
import { stagePages } from "./stage.js";

// Builds the documentation site: the API by TypeDoc, the pages of docs/ and the packages' READMEs by VitePress, which refuses dead links.

const website = `${root}website/`;
const { resolve } = createRequire(import.meta.url);

if (!process.argv.includes("--keep-api")) run(bin("typedoc/package.json", "bin/typedoc"));
stagePages();
run(bin("vitepress/package.json", "bin/vitepress.js"), "build", site);
console.log(`The site is in ${output}`);

function run(...command: string[]): void {
  execFileSync(process.execPath, command, { cwd: website, stdio: "inherit" });
}

function bin(manifest: string, path: string): string {
  return join(dirname(resolve(manifest)), path);
}
