import { fileURLToPath } from "node:url";

const kRoot = new URL("../../", import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, kRoot));

export const buildFolder = process.env.SVC_BENCH_BUILD ?? "build/release";

export const svcd = path(`${buildFolder}/bin/svcd`);
export const svc = path(`${buildFolder}/bin/svc`);
export const svcHostd = path(`${buildFolder}/bin/svc-hostd`);
export const windowFiles = path(`${buildFolder}/share/svc/window`);
export const nodeModules = path("node_modules");
export const hostilePlugin = path("tests/fixtures/hostile/server.ts");
export const todoPlugin = path("examples/todo");
export const slowPlugin = path("bench/soak/slow_plugin.ts");
export const loadPlugin = path("bench/soak/load_plugin.ts");
export const pacingAgent = path("bench/soak/pacing_agent.mjs");
export const hostProbe = path("tests/fixtures/plugins/host-probe");
export const benchPlugin = path("bench/plugin");
export const storagePlugin = path("bench/storage_plugin");
/** A file below bench/. */
export const source = (name) => path(`bench/${name}`);
/** Packages that only peers need. */
export const peerModules = path("build/bench-peers");
export const peer = (name) => path(`bench/peers/${name}`);
export const wrkScript = path("bench/lib/post.lua");
const results = (name) => new URL(`bench/results/${name}`, kRoot);
export const resultFiles = { json: results("latest.json"), html: results("latest.html") };
export const profileFile = (scenario) => results(`profiles/${scenario}.html`);
export const baselineFile = new URL("bench/baseline.json", kRoot);
export const growthFiles = { json: results("growth.json"), html: results("growth.html") };
