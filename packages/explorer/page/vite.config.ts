import { defineConfig } from "vite";

/** Static files without anything inline, so that the strictest content security policy holds for them. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
