import { fileURLToPath } from "node:url";

const kRoot = new URL("../../", import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, kRoot));

export const svcd = path("build/release/bin/svcd");
export const svc = path("build/release/bin/svc");
export const todoPlugin = path("examples/todo");
export const benchPlugin = path("bench/plugin");
export const peer = (name) => path(`bench/peers/${name}`);
export const wrkScript = path("bench/lib/post.lua");
export const resultsFile = new URL("bench/results/latest.json", kRoot);
