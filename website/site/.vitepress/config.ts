import { readFileSync } from "node:fs";
import GithubSlugger from "github-slugger";
import { defineConfig } from "vitepress";
import { searchOptions } from "../../dist/search-options.js";
import { searchTextOf } from "../../dist/search-text.js";

const { sidebar, repository } = JSON.parse(readFileSync(new URL("./sidebar.json", import.meta.url), "utf8"));

export default defineConfig({
  title: "waybill",
  description:
    "Change the payload format of your Azure Service Bus messages while they flow, and lose nothing",
  base: process.env.DOCS_BASE ?? "/",
  lang: "en",
  lastUpdated: false,
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${process.env.DOCS_BASE ?? "/"}favicon.svg` }],
  ],
  // Links have the anchors that repository hosts make, so that pages work there too.
  markdown: {
    // The usual themes have too little contrast for small texts.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: (text) => new GithubSlugger().slug(text) },
    toc: { level: [2, 3] },
  },
  themeConfig: {
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Coming from the SDK", link: "/coming-from-azure-service-bus" },
      { text: "Troubleshooting", link: "/troubleshooting" },
      { text: "API", link: "/api/" },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: searchOptions,
        detailedView: false,
        _render: (text, env, markdown) => searchTextOf(markdown.render(text, env), env.relativePath),
      },
    },
    editLink: { pattern: `${repository.replace("/blob/", "/edit/")}docs/:path`, text: "Edit this page" },
    notFound: {
      title: "There is no such page",
      quote: "It may have another name now: search for it above, or press Ctrl K.",
      linkText: "To the first page",
    },
    socialLinks: [{ icon: "github", link: repository.replace(/\/blob\/.*/, ""), ariaLabel: "Repository" }],
  },
});
