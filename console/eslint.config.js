import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig({ ignores: ["build/"] }, eslint.configs.recommended, {
  files: ["**/*.ts", "**/*.tsx"],
  extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  rules: {
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    "@typescript-eslint/prefer-nullish-coalescing": ["error", { ignorePrimitives: { string: true } }],
    // What is remembered is anybody's text: it is never markup.
    "no-restricted-syntax": [
      "error",
      { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Set text, never markup." },
      { selector: "MemberExpression[property.name=/^(inner|outer)HTML$/]", message: "Set text, never markup." },
      {
        // Screens are rendered again whenever something changes, while somebody types.
        selector:
          "JSXOpeningElement[name.name=/^(input|textarea)$/]:has(JSXAttribute[name.name='value']):not(:has(JSXAttribute[name.name='onInput']))",
        message: "A value without onInput takes away what is typed when the screen is rendered: use defaultValue.",
      },
    ],
  },
});
