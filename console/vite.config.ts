import { defineConfig } from "vite";

// Names without a hash: the daemon has browsers ask for each file whether it has changed.
export default defineConfig({
  base: "/console/",
  build: {
    outDir: "../daemon/memoryd_server/transport/console/site",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      output: { entryFileNames: "console.js", assetFileNames: "console[extname]", codeSplitting: false },
    },
  },
  server: { proxy: { "^/memoryd\\.v1\\.": "http://127.0.0.1:7600" } },
});
