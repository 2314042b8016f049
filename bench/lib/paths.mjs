import { fileURLToPath } from "node:url";

const kRoot = new URL("../../", import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, kRoot));

const kBuild = process.env.SVC_BENCH_BUILD ?? "build/release";

export const svcd = path(`${kBuild}/bin/svcd`);
export const svc = path(`${kBuild}/bin/svc`);
export const svcHostd = path(`${kBuild}/bin/svc-hostd`);
export const windowFiles = path(`${kBuild}/share/svc/window`);
export const nodeModules = path("node_modules");
export const hostilePlugin = path("tests/fixtures/hostile/server.ts");
export const todoPlugin = path("examples/todo");
export const slowPlugin = path("bench/soak/slow_plugin.ts");
export const loadPlugin = path("bench/soak/load_plugin.ts");
export const pacingAgent = path("bench/soak/pacing_agent.mjs");
export const hostProbe = path("tests/fixtures/plugins/host-probe");
export const benchPlugin = path("bench/plugin");
export const storagePlugin = path("bench/storage_plugin");
/** Packages that only peers need. */
export const peerModules = path("build/bench-peers");
export const peer = (name) => path(`bench/peers/${name}`);
export const wrkScript = path("bench/lib/post.lua");
export const resultsFile = new URL("bench/results/latest.json", kRoot);
export const growthFiles = { json: new URL("bench/results/growth.json", kRoot), html: new URL("bench/results/growth.html", kRoot) };
