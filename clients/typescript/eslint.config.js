import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

// The packages that frameworks/ needs are installed in an environment of their own, which checks its types.
export default defineConfig({ ignores: ["build/", "frameworks/"] }, eslint.configs.recommended, {
  files: ["**/*.ts"],
  extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    // node:test returns a promise for each test, which need not be awaited.
    "@typescript-eslint/no-floating-promises": [
      "error",
      { allowForKnownSafeCalls: [{ from: "package", name: ["test", "describe"], package: "node:test" }] },
    ],
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    // An empty environment variable or option is one that was not given.
    "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }],
  },
});
