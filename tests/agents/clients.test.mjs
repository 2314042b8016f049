// The official clients at the endpoint and at the bridge: what a client of each revision needs every day.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { connect, kClients, kTransports, textOf } from "./lib/clients.mjs";
import { nodeDirectory, program } from "./lib/packages.mjs";
import { kProbe, kTodo, run, startService } from "./lib/service.mjs";
import { until } from "./lib/until.mjs";

let service;
before(async () => {
  service = await startService([kTodo, kProbe]);
});
after(() => service?.close());

const kProbeTools = ["probe_aborted", "probe_echo", "probe_fail", "probe_picture", "probe_thread", "probe_wait"];
const kTodoTools = ["cli_todo", "todo_add", "todo_list"];

/** Another tool is there after the reload, and the one it takes the place of is gone. */
async function reloadWith(generation) {
  const file = join(service.home, "plugins/probe/server.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace(/const kGeneration = "\w+"/, `const kGeneration = "${generation}"`));
  await service.mustRun("plugin", "reload", "probe");
}

for (const kind of kClients) {
  for (const transport of kTransports) {
    describe(`${kind.name} over ${transport}`, () => {
      let client;
      const heard = [];
      before(async () => {
        client = await connect(kind, transport, service, { onTools: (names) => heard.push(names) });
      });
      after(() => client?.close());

      test("speaks the newest revision it knows", () => {
        assert.equal(client.revision(), kind.revision);
        assert.match(client.client.getInstructions(), /Look at todo_list before you add a todo/);
      });

      test("lists the tools and commands of all plugins", async () => {
        const names = await client.tools();
        for (const name of [...kProbeTools, ...kTodoTools]) {
          assert.ok(names.includes(name), `${name} is missing in ${names}`);
        }
      });

      test("calls a tool and a command, and sees one list", async () => {
        const added = textOf(await client.call("todo_add", { title: `from ${kind.name}` }));
        assert.match(added, /^Added \[ \] \w{8} {2}from SDK/);
        const id = /\w{8}/.exec(added.slice("Added [ ] ".length))[0];
        assert.match(textOf(await client.call("cli_todo", { args: ["done", id] })), new RegExp(`\\[x\\] ${id}`));
        assert.match(textOf(await client.call("todo_list")), new RegExp(`\\[x\\] ${id}`));
        const refused = await client.call("cli_todo", { args: ["done", "nothing"] });
        assert.equal(refused.isError, true);
        assert.match(textOf(refused), /No todo nothing.*exit code 1/s);
      });

      test("gets a picture", async () => {
        const { content } = await client.call("probe_picture");
        assert.deepEqual(
          content.map(({ type, mimeType }) => [type, mimeType]),
          [
            ["text", undefined],
            ["image", "image/png"],
          ],
        );
        assert.deepEqual([...Buffer.from(content[1].data, "base64").subarray(1, 4)], [...Buffer.from("PNG")]);
      });

      test("a failure, wrong arguments and an unknown tool are told apart", async () => {
        const failed = await client.call("probe_fail");
        assert.deepEqual([failed.isError, textOf(failed)], [true, "Tool probe_fail failed: as asked"]);
        const wrong = await client.call("probe_echo", { text: 5 });
        assert.equal(wrong.isError, true);
        assert.match(textOf(wrong), /^Invalid arguments for tool probe_echo/);
        await assert.rejects(client.call("nobody"), ({ code }) => code === -32602);
      });

      test("hears of progress while a tool runs", async () => {
        const told = [];
        const result = await client.call("probe_wait", { seconds: 8 }, { onprogress: (progress) => told.push(progress) });
        assert.equal(textOf(result), "waited for 8 s");
        assert.ok(told.length >= 1, "no progress in 8 s");
        assert.match(told[0].message, /probe_wait has run for \d+ s/);
      });

      test("cancels a call, which aborts the tool", async () => {
        const before = Number(textOf(await client.call("probe_aborted")));
        const controller = new AbortController();
        const told = [];
        const options = { signal: controller.signal, onprogress: (progress) => told.push(progress) };
        const call = client.call("probe_wait", { seconds: 600, reports: true }, options);
        call.catch(() => undefined);
        await until("the tool runs", async () => told.length > 0);
        controller.abort(new Error("enough"));
        await assert.rejects(call, /enough/);
        await until("the tool was aborted", async () => Number(textOf(await client.call("probe_aborted"))) === before + 1);
      });

      test("reads a plugin's skill, as a resource and as a prompt", async () => {
        const uri = "skill://todo/example-todos/SKILL.md";
        const { contents } = await client.client.readResource({ uri });
        assert.match(contents[0].text, /List first\. Never guess an id/);
        const { prompts } = await client.client.listPrompts();
        const prompt = prompts.find(({ name }) => name.includes("example-todos"));
        assert.ok(prompt, JSON.stringify(prompts));
        const { messages } = await client.client.getPrompt({ name: prompt.name });
        assert.match(JSON.stringify(messages), /List first\. Never guess an id/);
      });

      test("hears of a reload, and lists what came with it", async () => {
        const generation = `probe_${kind.name.replace(/\W/g, "_")}_${transport}`.toLowerCase();
        await reloadWith(generation);
        await until("the client heard of the new tool", () => heard.some((names) => names.includes(generation)));
        assert.equal(textOf(await client.call(generation)), generation);
        assert.equal((await client.tools()).filter((name) => /^probe_(first|sdk)/.test(name)).length, 1);
      });
    });
  }
}

describe("Inspector", () => {
  const kEras = ["modern", "legacy"];
  const targets = () => ({
    HTTP: [service.endpoint, "--transport", "http"],
    stdio: ["svc", "mcp", "--transport", "stdio"],
  });

  async function inspect(transport, era, ...args) {
    const env = { ...service.env, PATH: `${nodeDirectory()}:${service.env.PATH}` };
    const { status, stdout, stderr } = await run(
      [program("inspector", "mcp-inspector"), "--cli", ...targets()[transport], "--protocol-era", era, ...args],
      { env, cwd: service.work },
    );
    return { status, stderr, stdout, answer: () => JSON.parse(stdout) };
  }

  for (const era of kEras) {
    for (const transport of kTransports) {
      test(`lists and calls over ${transport}, ${era}`, async () => {
        const listed = await inspect(transport, era, "--method", "tools/list");
        assert.equal(listed.status, 0, listed.stderr);
        const names = listed.answer().tools.map(({ name }) => name);
        assert.ok(
          [...kProbeTools, ...kTodoTools].every((name) => names.includes(name)),
          String(names),
        );

        const called = await inspect(transport, era, "--method", "tools/call", "--tool-name", "probe_echo", "--tool-arg", "text=ä");
        assert.equal(called.status, 0, called.stderr);
        assert.equal(textOf(called.answer()), "echo: ä");

        const failed = await inspect(transport, era, "--method", "tools/call", "--tool-name", "probe_fail");
        assert.match(failed.stdout + failed.stderr, /Tool probe_fail failed: as asked/);
      });
    }
  }

  test("finds no schema that a model API would refuse", async () => {
    const strict = await inspect("HTTP", "modern", "--method", "tools/list", "--strict");
    assert.equal(strict.status, 0, strict.stderr);
  });
});
