import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { root } from "./paths.js";

const block = /^```mermaid\n([\s\S]*?)^```$/gm;

/** The Mermaid drawings of a page. */
export function drawingsOf(text: string): string[] {
  return [...text.matchAll(block)].map(([, drawing = ""]) => drawing);
}

/** The file of a drawing under `docs/pictures`. Its name follows from what is drawn, so that a picture is never out of date. */
export function pictureOf(drawing: string): string {
  return `${createHash("sha256").update(drawing).digest("hex").slice(0, 16)}.svg`;
}

/** What opens beside the page that leads to it. */
const inOwnTab = '{target="_blank"}';

/** The page with its pictures of screens as links to themselves: in a text they are smaller than they are. */
export function openPictures(text: string): string {
  return text.replace(
    /(?<!\[)!\[[^\]]*\]\((\/pictures\/[^)]+\.png)\)/g,
    (image, path) => `[${image}](${path})${inOwnTab}`,
  );
}

/** The page with its drawings as pictures. Throws for a drawing without one: `pnpm docs:site pictures` draws it. */
export function usePictures(text: string, path: string): string {
  return text.replace(block, (_, drawing: string) => {
    const picture = pictureOf(drawing);
    if (!existsSync(`${root}docs/pictures/${picture}`))
      throw new Error(`A drawing of ${path} has no picture yet: run "npx -y pnpm@12 docs:site pictures".`);
    return `[![${altText(drawing)}](/pictures/${picture}){.drawing}](/pictures/${picture})${inOwnTab}`;
  });
}

/** What a drawing shows, for those who do not see it: the texts of its boxes and arrows, in order. */
function altText(drawing: string): string {
  const texts = [...drawing.matchAll(/\["([^"]+)"\]|\{"([^"]+)"\}|\|"?([^"|]+)"?\||\[([^\]"]+)\]/g)];
  const said = texts.map(([, ...groups]) => groups.find((text) => text !== undefined) ?? "");
  return `Diagram: ${[...new Set(said)].join("; ")}`.replaceAll("<br/>", ", ").replaceAll(/["<>&[\]]/g, "");
}
