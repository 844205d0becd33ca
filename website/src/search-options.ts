/** How the search of the site ranks: given to VitePress, and to the test of the queries. */
export const searchOptions = {
  options: {
    processTerm: (term: string): string | undefined => {
      // Words that say nothing about what is looked for. The function is copied into the pages as text, so it uses nothing outside itself.
      const fillers =
        /^(?:an?|and|are|as|at|be|by|can|does|each|every|for|from|has|have|how|i|if|in|is|its?|may|not|of|on|only|or|same|so|that|the|their|them|they|this|to|was|what|when|which|with|you|your)$/;
      const word = term.toLowerCase();
      return fillers.test(word) ? undefined : word;
    },
  },
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 5, titles: 3, text: 1 },
    combineWith: "OR" as const,
    boostDocument: (id: string): number => {
      if (/\/(?:api|packages)\//.test(id)) return /\/api\//.test(id) ? 0.1 : 0.7;
      // It names everything once; the page that explains a thing comes first.
      if (id.includes("coming-from-azure")) return 0.6;
      return /\/(?:changelog|contributing|glossary|upstream|recipes|wire-formats)/.test(id) ? 0.3 : 1;
    },
  },
};
