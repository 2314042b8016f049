import { fileURLToPath } from "node:url";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

import { bootChunk, iconChunk } from "./chunks.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Relative: the page's <base> says under which path the server is reached.
  base: "./",
  // What is drawn shows the characters that would disguise it.
  plugins: [react({ jsxImportSource: "@/ui/shown_text" }), tailwindcss()],
  resolve: {
    alias: [
      { find: /^@\//, replacement: `${at("./src")}/` },
      // The SDK's sources import each other with the extension they are published with.
      { find: /^#sdk\/(.*?)(\.js)?$/, replacement: `${at("../sdk/src")}/$1.ts` },
    ],
  },
  build: {
    outDir: "dist",
    target: "es2022",
    assetsInlineLimit: 0,
    sourcemap: false,
    // What budgets.mjs reads: it counts what a browser loads first, where Vite would warn of grammars that are loaded on demand.
    manifest: true,
    chunkSizeWarningLimit: 1024,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: bootChunk(at("./src/main.tsx")) }, { name: iconChunk() }] } } },
  },
  // A worker loads the one grammar that it needs, as pages do.
  worker: { format: "es" },
  // `npm run dev` works against a server that runs already.
  server: { proxy: { "/api": { target: process.env.SVC_SERVER ?? "http://127.0.0.1:4700", ws: true } } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup/fresh_file.ts", "tests/setup/class_conflicts.ts", "tests/setup/patience.ts"],
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
    isolate: false,
    reporters: ["default", "./tests/setup/second_tries.ts"],
    // As for the tests in the browser: a second try only where it is named.
    retry: process.env.SVC_SECOND_TRIES === undefined ? 0 : 1,
  },
});
