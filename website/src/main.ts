import { type Programs, runProgram } from "waybill-harness/programs.js";

/** The documentation site, and the parts of the pages that programs write or try. */
const programs: Programs = {
  build: {
    shows: "Builds the site, which refuses dead links, and tests its search.",
    takes: "a minute",
    options: "[--keep-api]",
    run: () => import("./build-and-search.js"),
  },
  browser: {
    shows: "The built site works in chromium: pages, links, navigation, search, accessibility.",
    takes: "minutes",
    run: () => import("./browser.js"),
  },
  pictures: {
    shows: "Draws the Mermaid drawings of the pages that have no picture yet, in chromium.",
    takes: "a minute",
    run: () => import("./draw-pictures.js"),
  },
  tables: {
    shows: "Writes the tables of options, of the SDK's names and of measurements into the pages.",
    takes: "seconds",
    run: () => import("./option-tables/main.js"),
  },
  commands: {
    shows:
      "Every command in the docs ends as documented; `commands waybill` runs those of the command alone, in a minute.",
    takes: "hours",
    options: "[text]",
    run: () => import("./docs-commands/main.js"),
  },
};

if (process.argv.length === 2) process.argv.push("build");
await runProgram("docs:site", programs);
