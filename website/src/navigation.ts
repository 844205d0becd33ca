/** A link of the sidebar, to a page of the site without `.md`. */
export interface NavigationItem {
  readonly text: string;
  readonly link: string;
}

/** A group of the sidebar. */
export interface NavigationGroup {
  readonly text: string;
  readonly pages: readonly string[];
}

/** The order in which a reader meets the pages. A page that stands nowhere here is added to the last group, so none is left out. */
const navigation: readonly NavigationGroup[] = [
  {
    text: "Begin",
    pages: [
      "why-waybill",
      "install",
      "tutorial",
      "explore",
      "concepts",
      "coming-from-azure-service-bus",
      "recipes",
    ],
  },
  {
    text: "Guides",
    pages: [
      "sending",
      "receiving",
      "processing",
      "sessions",
      "message-types",
      "patterns/index",
      "patterns/request-reply",
      "patterns/multicast-request-reply",
      "patterns/multiplexing",
      "patterns/multiplexed-request-reply",
      "claim-check",
      "encryption",
      "observability",
      "azure-functions",
      "nestjs",
      "testing",
      "replacing-the-emulator",
      "other-languages",
    ],
  },
  {
    text: "Changing formats",
    pages: ["migrating", "contracts", "write-plan", "checking-a-switch", "census", "shared-work"],
  },
  {
    text: "Running it",
    pages: [
      "production",
      "several-namespaces",
      "plain-services",
      "troubleshooting",
      "stalls",
      "durability",
      "security",
    ],
  },
  {
    text: "Reference",
    pages: [
      "errors",
      "management",
      "deserialization",
      "broker-properties",
      "wire-formats",
      "cli",
      "json-output",
      "api/index",
      "performance",
      "compatibility",
      "conformance",
      "interop",
      "differences-from-azure",
      "glossary",
      "changelog",
    ],
  },
  {
    text: "Extending it",
    pages: ["writing-a-serializer", "writing-a-transport", "architecture", "contributing", "upstream/README"],
  },
];

/** Groups that hold the pages of their folder. */
const folders: readonly { readonly text: string; readonly folder: string }[] = [
  { text: "Packages", folder: "packages/" },
];

/** The sidebar for the pages that there are, each with its title. */
export function sidebarOf(titles: ReadonlyMap<string, string>): { text: string; items: NavigationItem[] }[] {
  const item = (page: string): NavigationItem[] => {
    const text = titles.get(page);
    return text === undefined ? [] : [{ text, link: `/${page.replace(/(^|\/)index$/, "$1")}` }];
  };
  const listed = new Set(navigation.flatMap(({ pages }) => pages));
  const isInFolder = (page: string) => folders.some(({ folder }) => page.startsWith(folder));
  const others = [...titles.keys()].filter(
    (page) => !listed.has(page) && !isInFolder(page) && page !== "index" && !page.startsWith("api/"),
  );
  const groups = navigation.map(({ text, pages }) => ({ text, items: pages.flatMap(item) }));
  groups.at(-1)?.items.push(...others.flatMap(item));
  const inFolders = folders.map(({ text, folder }) => ({
    text,
    items: [...titles.keys()].filter((page) => page.startsWith(folder)).flatMap(item),
  }));
  return [...groups, ...inFolders];
}
