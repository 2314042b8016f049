// Many windows that count signals.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/**
 * Runs `work(signal)` while `count` windows of the program (bench/lib/windows.c) are open at `url`; `signal({ path, text, burst, seconds })` has the server publish
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
