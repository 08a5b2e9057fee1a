// One script, one style sheet, one font, without hashes in their names: the server hands them out as they are, and
// page/render.py puts them into a single HTML file. Two builds of the same source are the same bytes.
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte({ emitCss: true })],
  base: "./",
  build: {
    outDir: "../src/glassformer/page/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    target: "es2022",
    rolldownOptions: {
      input: "src/main.ts",
      output: {
        format: "iife",
        entryFileNames: "explorer.js",
        assetFileNames: (asset) => (asset.names[0]?.endsWith(".woff2") ? "devanagari.woff2" : "explorer[extname]"),
      },
    },
  },
});
