import { defineConfig } from "vite";

// page.html is that of the documentation, of which the size is measured: what it shares with others would not be in its file.
export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: false, rolldownOptions: { input: process.env.MEMORYD_PAGE } },
});
