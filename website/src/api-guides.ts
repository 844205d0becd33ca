/** A page of the site, before its links are rewritten. */
export interface GuidePage {
  /** Its address on the site, such as `/census`. */
  readonly link: string;
  readonly title: string;
  readonly text: string;
}

const begin = "<!-- guides -->";
const end = "<!-- /guides -->";

/** How many guides a page of the API leads to. */
const maxGuides = 5;

const codeBlock = /^```ts\b[^\n]*\n([\s\S]*?)^```$/gm;

/**
 * A page of the API with an example and with links to the pages that explain what it lists: its package's, and those whose code imports it, the most often
 * first, or else uses names of it, or imports its package. Its title is the name that programs import. What an earlier build has added is replaced.
 */
export function withGuides(text: string, pages: readonly GuidePage[]): string {
  const bare = text.replace(new RegExp(`${begin}[\\s\\S]*?${end}\\n*`), "");
  const [, name = ""] = /^# (@waybill\/\S+)$/m.exec(bare) ?? [];
  const [scope, folder] = name.split("/");
  const readme = pages.find(({ link }) => link === `/packages/${folder}`);
  const ways = [importOf(name), useOf(exportsOf(bare)), importOf(`${scope}/${folder}`)];
  const uses = ways.map((isUse) => usesIn(pages, isUse)).find(({ length }) => length > 0) ?? [];
  const guides = new Set([...(readme === undefined ? [] : [readme]), ...uses.map(({ page }) => page)]);
  const [first] = uses.filter(({ page }) => page === readme).concat(uses);
  const links = Array.from(guides, ({ title, link }) => `[${title}](${link})`).slice(0, maxGuides);
  const parts = [
    begin,
    ...(links.length === 0 ? [] : [`How it is used: ${links.join(" · ")}`]),
    ...(first === undefined ? [] : [`\`\`\`ts\n${first.blocks[0]}\`\`\``]),
    end,
  ];
  return bare.replace(/^# .+\n+/m, (title) => `${title}${parts.join("\n\n")}\n\n`);
}

/** The pages with code like that, those with the most of it first. */
function usesIn(pages: readonly GuidePage[], isUse: (code: string) => boolean) {
  return pages
    .map((page) => ({
      page,
      blocks: [...page.text.matchAll(codeBlock)].map(([, code = ""]) => code).filter(isUse),
    }))
    .filter(({ blocks }) => blocks.length > 0)
    .toSorted((one, two) => two.blocks.length - one.blocks.length);
}

/** Names that are no common words. */
function exportsOf(text: string): string[] {
  return [...text.matchAll(/^### (\w{6,})/gm)].map(([, name = ""]) => name);
}

function importOf(module: string): (code: string) => boolean {
  return (code) => code.includes(`from "${module}"`);
}

function useOf(names: readonly string[]): (code: string) => boolean {
  if (names.length === 0) return () => false;
  const use = new RegExp(`\\b(?:${names.join("|")})\\b`);
  return (code) => use.test(code);
}
