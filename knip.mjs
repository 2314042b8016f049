// Exports that nobody imports (scripts/lint). What the SDK offers, what is embedded by name and what runs by itself are entries.

/** @type {import("knip").KnipConfig} */
export default {
  include: ["exports", "types", "nsExports"],
  ignoreExportsUsedInFile: true,
  workspaces: {
    ".": {
      entry: [
        "modules/*/js/**/*.ts",
        "modules/app/builder/*.{ts,mjs}",
        "tests/**/*.{ts,tsx,mjs,cjs}",
        "bench/**/*.{ts,tsx,mjs}",
        "docs/{http,site}/**/*.{js,mjs}",
        "scaffold/**/*.{ts,tsx,mjs}",
      ],
      project: ["modules/**/*.{ts,mjs}"],
    },
    window: {
      // What JSX is made of is imported by the compiler.
      entry: ["tests/**/*.{ts,tsx}", "e2e/**/*.{ts,tsx}", "*.mjs", "src/ui/shown_text/jsx-*.ts"],
      project: ["src/**/*.{ts,tsx}"],
      paths: { "@/*": ["./src/*"], "#sdk/*": ["../sdk/src/*"] },
    },
    sdk: {
      entry: ["src/*.ts", "src/testing/*.ts", "fake_host/index.ts", "tests/**/*.{ts,mjs}"],
      project: ["src/**/*.ts", "fake_host/**/*.ts"],
    },
    "examples/*": { entry: ["**/*.{ts,tsx}"] },
  },
};
