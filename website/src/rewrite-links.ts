import { posix } from "node:path";

/** The address of repository files that are not pages of the site, with a slash at the end. */
export interface LinkTargets {
  readonly repository: string;
  /** The page of a file of the repository, both relative to their roots; undefined for one that is no page. */
  readonly pageOf: (path: string) => string | undefined;
}

/** Pictures of the docs, which the site has in the same folder. */
const pictures = "docs/pictures/";

/**
 * Rewrites the links of a Markdown page of the repository for its place on the site: to pages and pictures of the site where there is one, to
 * the repository for everything else. Code blocks stay as they are.
 */
export function rewriteLinks(text: string, path: string, { repository, pageOf }: LinkTargets): string {
  const page = pageOf(path);
  if (page === undefined) throw new Error(`${path} is no page of the site.`);
  return outsideCode(text, (part) =>
    part.replace(/(\]\()([^)\s]+)(\))/g, (whole, open: string, url: string, close: string) => {
      const target = inRepository(url, repository);
      if (target === undefined) return whole;
      const [file = "", anchor] = target.split("#");
      const full = url.startsWith("http") ? file : posix.normalize(posix.join(posix.dirname(path), file));
      return `${open}${siteUrl(full, anchor, page, { repository, pageOf })}${close}`;
    }),
  );
}

/** The path in the repository that a link names, relative to the page, or to the root for a full address; undefined for other links. */
function inRepository(url: string, repository: string): string | undefined {
  if (url.startsWith(repository)) return url.slice(repository.length);
  return /^(?:[a-z]+:|#|\/)/.test(url) ? undefined : url;
}

function siteUrl(
  file: string,
  anchor: string | undefined,
  page: string,
  { repository, pageOf }: LinkTargets,
): string {
  if (file.startsWith(pictures)) return `/${file.slice("docs/".length)}`;
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const target = pageOf(file);
  if (target === undefined) return `${repository}${file}${hash}`;
  const relative = posix.relative(posix.dirname(page), target);
  return `${relative.startsWith(".") ? relative : `./${relative}`}${hash}`;
}

/** Applies a change to everything that is no fenced code block and no code span. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^[ ]*```[\s\S]*?^[ ]*```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");
}
