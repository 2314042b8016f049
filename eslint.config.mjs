// The linter of TypeScript and JavaScript (scripts/lint). Layout is Prettier's, imports between folders are .dependency-cruiser.mjs's,
// exports that nobody uses are knip's. A rule that is off or has options says why.
import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const typesOf = (project) => ({ parserOptions: { project, tsconfigRootDir: import.meta.dirname } });

const kTests = ["**/tests/**", "tests/**", "window/e2e/**", "bench/**"];

export default defineConfig(
  // The fixture cannot be parsed: that is what it is for.
  globalIgnores([".cache/", ".deps/", "build/", "**/dist/", "tests/fixtures/plugins/syntax_error/"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.{ts,tsx,mts,js,mjs,cjs}"],
    extends: [js.configs.recommended, tseslint.configs.base],
    languageOptions: typesOf("./tsconfig.lint.json"),
    rules: {
      // TypeScript finds these itself, and better; plain scripts name globals of Node.js.
      "no-undef": "off",
      "no-redeclare": "off",
      "no-dupe-class-members": "off",
      // Regular expressions here are about bytes and columns.
      "no-control-regex": "off",
      "no-regex-spaces": "off",

      curly: "error",
      // `== null` says "null or undefined".
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-unused-vars": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_", ignoreRestSiblings: true },
      ],

      // A promise that nobody waits for takes its failure with it.
      "@typescript-eslint/no-floating-promises": [
        "error",
        // `void` says that the callee tells of its failures itself. The runner waits for its tests.
        {
          allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "it", "describe", "suite", "before", "after"] }],
        },
      ],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      // What is caught may be passed on as it came.
      "@typescript-eslint/only-throw-error": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],
      "@typescript-eslint/prefer-promise-reject-errors": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],

      // typeof import("node:os") names the type of a module that may be absent.
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false, fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/no-duplicate-type-constituents": "error",
      "@typescript-eslint/no-for-in-array": "error",
      "@typescript-eslint/no-implied-eval": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],

      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression > MemberExpression.callee[object.name=/^(it|test|describe|suite)$/][property.name='only']",
          message: "The other tests would not run.",
        },
      ],
    },
  },
  {
    // Tests throw and refuse with whatever plugins may throw and refuse with, and evaluate code as a plugin's bundle is evaluated.
    files: kTests,
    rules: {
      "@typescript-eslint/only-throw-error": "off",
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/no-implied-eval": "off",
      // An unhandled rejection ends them.
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
    },
  },
  // Plain scripts declare no types to compare with.
  { files: ["**/*.{js,mjs,cjs}"], rules: { "@typescript-eslint/await-thenable": "off" } },
  // SQLite asks functions how many parameters they have.
  {
    files: ["tests/unit/database/cases/**"],
    rules: { "@typescript-eslint/no-unused-vars": ["error", { args: "none", varsIgnorePattern: "^_" }] },
  },
  // Statements about types: the compiler is the test, nothing runs.
  { files: ["sdk/tests/*.ts"], rules: { "@typescript-eslint/no-unused-vars": "off" } },
  { files: ["window/**/*.{ts,mts,tsx}"], languageOptions: typesOf("./window/tsconfig.json") },
  { files: ["window/e2e/fixtures/**"], languageOptions: typesOf("./tsconfig.lint.json") },
  {
    files: ["**/*.tsx", "window/src/**/*.ts", "sdk/src/**/*.ts"],
    plugins: { "react-hooks": reactHooks },
    // The plugin's other rules are about the React Compiler, which does not build the window.
    rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" },
  },
  {
    files: ["**/*.tsx"],
    extends: [jsxA11y.flatConfigs.strict],
    rules: {
      // A dialog or a form that was asked for puts the focus into its first field.
      "jsx-a11y/no-autofocus": "off",
      // What scrolls can be reached, and scrolled, with the keyboard. axe checks it in the browser.
      "jsx-a11y/no-noninteractive-tabindex": "off",
      // A group hears the keys of what is in it.
      "jsx-a11y/no-noninteractive-element-interactions": ["error", { handlers: ["onClick", "onMouseDown", "onMouseUp"] }],
    },
  },
  // Parts of a table that are laid out as cards lose their roles unless they name them.
  {
    files: ["scaffold/registry/components/ui/table.tsx"],
    rules: { "jsx-a11y/no-redundant-roles": "off", "jsx-a11y/no-interactive-element-to-noninteractive-role": "off" },
  },
  // Of a list of tabs the open one has the focus, not the list.
  { files: ["scaffold/registry/components/ui/tabs.tsx"], rules: { "jsx-a11y/interactive-supports-focus": "off" } },
  // Plugins that misbehave on purpose.
  {
    files: ["tests/fixtures/**", "window/e2e/fixtures/**"],
    rules: { "no-empty": "off", "@typescript-eslint/no-floating-promises": "off", "react-hooks/exhaustive-deps": "off" },
  },
  // Tables of hooks: the rule takes members named experimental_use… for plain functions.
  { files: ["window/src/sdk_app/hooks.ts", "sdk/src/app_testing/hooks.ts"], rules: { "react-hooks/rules-of-hooks": "off" } },
);
