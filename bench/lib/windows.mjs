// Many windows that count signals, and the programs in C that this takes.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Runs `work({ windows, limit })` with the programs of bench/lib/windows.c and bench/peers/fanout_limit.c. */
export async function withWindowPrograms(work) {
  const dir = mkdtempSync(join(tmpdir(), "svc-windows-"));
  try {
    const build = (source) => {
      const program = join(dir, source.replaceAll("/", "-"));
      const built = spawnSync("cc", ["-O2", "-o", program, path(source)], { encoding: "utf8" });
      if (built.status !== 0) {
        throw new Error(`cannot build ${source}:\n${built.error ?? built.stderr}`);
      }
      return program;
    };
    return await work({ windows: build("windows.c"), limit: build("../peers/fanout_limit.c") });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Runs `work(signal)` while `count` windows are open at `url`; `signal({ path, text, burst, seconds })` has the server publish
 * the text `burst` times, again and again; it resolves with how many signals arrived, and how long each burst took to the last window.
 */
export async function withWindows(program, { url, count }, work) {
  const child = spawn(program, [new URL(url).port, String(count)], { stdio: ["pipe", "pipe", "pipe"] });
  const errors = [];
  child.stderr.on("data", (chunk) => errors.push(chunk));
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) {
      throw new Error(`${count} windows ended:\n${Buffer.concat(errors)}`);
    }
    return value;
  };
  try {
    await next();
    return await work(async ({ path: target, text, burst = 1, seconds }) => {
      child.stdin.write(`${seconds} ${burst} ${target} ${JSON.stringify({ times: burst, text })}\n`);
      return JSON.parse(await next());
    });
  } finally {
    child.stdin.end();
    await exited;
  }
}
