import { fileURLToPath } from "node:url";
import { fillMarked } from "waybill-harness/fill-marked.js";
import { drawPackages, drawRuntimes } from "./compatibility.js";
import { drawPerformance } from "./performance.js";
import { drawRecipes } from "./recipes.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

const parts: Readonly<Record<string, (root: string) => string>> = {
  packages: drawPackages,
  performance: drawPerformance,
  recipes: drawRecipes,
  runtimes: drawRuntimes,
};

/** Fills every part of a page that stands between `<!-- generated name -->` and `<!-- /generated -->`. Throws for a name that there is not. */
export function fillGenerated(page: string): string {
  return fillMarked(page, "generated", (name) => {
    const draw = parts[name];
    if (draw === undefined) throw new Error(`There is no generator of "${name}".`);
    return draw(root);
  });
}
