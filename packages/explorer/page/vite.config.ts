import { defineConfig } from "vite";

/** Static files without inline scripts or styles, as the strict content security policy requires. */
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
