import { defineConfig } from "vitest/config";

// The suite of LangGraph uses the globals of Vitest, and its tests have no timeouts of their own.
export default defineConfig({
  test: {
    globals: true,
    include: ["*.test.ts", "ai-sdk/*.test.ts", "langgraph/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
