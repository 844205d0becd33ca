import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type GuidePage, withGuides } from "./api-guides.js";
import { sidebarOf } from "./navigation.js";
import { root, site } from "./paths.js";
import { openPictures, usePictures } from "./pictures.js";
import { rewriteLinks } from "./rewrite-links.js";

/** The site's own home page. */
const home = "website/home.md";

/** Writes the pages of the repository to where VitePress builds them, with links for the site, and the sidebar that leads to them. */
export function stagePages(): void {
  emptySite();
  const repository = repositoryUrl();
  const titles = new Map<string, string>();
  const guides: GuidePage[] = [];
  for (const path of sources()) {
    const page = pageOf(path);
    if (page === undefined) continue;
    const text = usePictures(readFileSync(root + path, "utf8"), path);
    write(page, openPictures(rewriteLinks(text, path, { repository, pageOf })));
    const [title, link] = [titleOf(text, path), page.replace(/(?:index)?\.md$/, "")];
    titles.set(page.replace(/\.md$/, ""), title);
    guides.push({ link: `/${link}`, title, text });
  }
  titles.set("api/index", "API of every package");
  for (const path of apiPages()) writeFileSync(path, withGuides(readFileSync(path, "utf8"), guides));
  cpSync(`${root}docs/pictures`, `${site}public/pictures`, { recursive: true });
  cpSync(`${root}website/favicon.svg`, `${site}public/favicon.svg`);
  const homePage = rewriteLinks(readFileSync(root + home, "utf8"), home, { repository, pageOf });
  write("index.md", openPictures(homePage));
  writeFileSync(`${site}.vitepress/sidebar.json`, JSON.stringify({ sidebar: sidebarOf(titles), repository }));
}

/** The address of the repository's files in a browser, from the manifest. */
function repositoryUrl(): string {
  const { repository } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  return `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/`;
}

/** The page of the site that a file of the repository becomes; undefined for a file that becomes none. */
function pageOf(path: string): string | undefined {
  if (path === "README.md" || path === home) return "index.md";
  if (path === "CHANGELOG.md") return "changelog.md";
  if (path === "CONTRIBUTING.md") return "contributing.md";
  const readme = /^packages\/([\w-]+)\/README\.md$/.exec(path);
  if (readme !== null) return `packages/${readme[1]}.md`;
  if (!/^docs\/(?!upstream\/node_modules).+\.md$/.test(path) || !existsSync(root + path)) return undefined;
  return path.slice("docs/".length).replace(/^patterns\/README\.md$/, "patterns/index.md");
}

function sources(): string[] {
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .sort();
  const packages = readdirSync(`${root}packages`).sort();
  return [
    ...docs.map((name) => `docs/${name}`),
    ...packages.map((name) => `packages/${name}/README.md`).filter((path) => existsSync(root + path)),
    "CHANGELOG.md",
    "CONTRIBUTING.md",
  ];
}

/** The pages that TypeDoc has written, but for the list of them. */
function apiPages(): string[] {
  const folder = `${site}api/@waybill/`;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => folder + name);
}

function titleOf(text: string, path: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${path} has no title.`);
  return title.replaceAll("`", "");
}

function write(page: string, text: string): void {
  mkdirSync(dirname(site + page), { recursive: true });
  writeFileSync(site + page, text);
}

/** Removes everything but VitePress's own folder and the API, which TypeDoc writes. */
function emptySite(): void {
  mkdirSync(site, { recursive: true });
  for (const name of readdirSync(site))
    if (name !== ".vitepress" && name !== "api") rmSync(site + name, { recursive: true });
}
