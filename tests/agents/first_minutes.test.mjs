// From an empty machine to a todo that an agent added and a window shows, with the commands a newcomer types.
import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startGate } from "./lib/gate.mjs";
import { copyOf, environmentOf, kBin, kTodo, run, scratchHome } from "./lib/service.mjs";
import { kWantedAgents, session } from "./lib/session.mjs";
import { readScript } from "./model/script.mjs";
// The packages of the window's tests, with Debian's browser.
import { chromium } from "@playwright/test";

const kBrowser = process.env.SVC_CHROMIUM ?? ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(existsSync);
const kFlags = ["--disable-dev-shm-usage", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])];

let home;
let browser;
let gate;
before(async () => {
  home = scratchHome();
  gate = await startGate();
});
after(async () => {
  await browser?.close();
  await run([join(kBin, "svc"), "server", "stop"], { env: environmentOf(home), cwd: home });
  gate.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

test("an agent adds a todo, the command lists it, the window shows it live", async (context) => {
  const began = Date.now();
  const env = environmentOf(home);
  const svc = (...args) => run([join(kBin, "svc"), ...args], { env, cwd: join(home, "work") });
  async function mustRun(...args) {
    const { status, stdout, stderr } = await svc(...args);
    assert.equal(status, 0, `svc ${args.join(" ")}:\n${stdout}${stderr}`);
    return stdout;
  }

  await mustRun("server", "start", "--listen", "127.0.0.1:0");
  await mustRun("plugin", "install", copyOf(kTodo, home), "--yes");
  const { server } = JSON.parse(await mustRun("status", "--json"));
  const { url } = server;

  browser = await chromium.launch({ executablePath: kBrowser, args: kFlags });
  const page = await browser.newPage();
  await page.goto(`${url}/plugins/todo/todos`);
  await page.getByText("Nothing to do").waitFor();

  const [agent] = kWantedAgents;
  const script = readScript("tool_and_command");
  const service = { url, endpoint: `${url}/api/v1/mcp`, home, env, work: join(home, "work"), svc, mustRun };
  const { stdout, stderr } = await session(agent, script, { service, transport: "stdio", gate, timeoutMs: 120_000 });
  assert.deepEqual(script.problems, [], stderr);
  assert.ok(script.isFinished, stdout + stderr);

  assert.match(await mustRun("todo", "list"), /\[x\] \w{8} {2}buy milk\n\[ \] \w{8} {2}drink it/);
  // The page was not loaded again.
  await page.getByRole("checkbox", { name: "drink it" }).waitFor();
  assert.equal(await page.getByRole("checkbox", { name: "buy milk" }).isChecked(), true);
  context.diagnostic(`${Math.round((Date.now() - began) / 1_000)} s with ${agent.package}`);
});
