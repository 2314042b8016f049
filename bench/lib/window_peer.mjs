// The page of bench/peers/window with Vite: built and previewed, or served for development. Copied first, as it is edited.
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, createServer, preview } from "vite";

import { nodeModules, peer } from "./paths.mjs";

function copyPeer(dir, rows) {
  const root = join(dir, "peer");
  cpSync(peer("window"), root, { recursive: true });
  symlinkSync(nodeModules, join(root, "node_modules"));
  mkdirSync(join(root, "public"));
  const list = Array.from({ length: rows }, (_, index) => ({ id: `todo-${index + 1}`, title: `Todos ${index + 1}` }));
  writeFileSync(join(root, "public/rows.json"), JSON.stringify(list));
  return { root, configFile: false, logLevel: "error", plugins: [react(), tailwindcss()], build: { target: "es2022" } };
}

/** Runs `work(url)` against the production build. */
export async function withPreview(dir, rows, work) {
  const config = copyPeer(dir, rows);
  await build(config);
  const server = await preview({ ...config, preview: { host: "127.0.0.1", port: 0 } });
  try {
    return await work(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
}

/** Runs `work(url, root)` against the development server, which replaces modules in the open page. */
export async function withDevServer(dir, rows, work) {
  const config = copyPeer(dir, rows);
  const server = await createServer({ ...config, server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  try {
    return await work(server.resolvedUrls.local[0], config.root);
  } finally {
    await server.close();
  }
}
