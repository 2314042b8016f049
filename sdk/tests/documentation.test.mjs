// The examples of docs/guide are code: they type-check as one project, and the tests among them run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";

import { installFromRepository } from "../../scaffold/tests/instantiate.mjs";
import { guide, pages, root, writeComponents, writeExamples } from "../../tests/docs/guide_examples.mjs";

const run = promisify(execFile);

/** Members of `svc` and the page that shows each of them in an example. */
const kPages = {
  "agents.configure": "agents-tools",
  "agents.contributeInstructions": "agents-tools",
  "agents.registerTool": "agents-tools",
  "background.schedule": "schedules",
  "background.service": "background-services",
  "cli.register": "cli",
  "events.on": "events",
  "experimental_hooks.on": "hooks",
  "hosts.experimental_client": "hosts",
  "http.experimental_websocket": "websockets",
  "http.route": "http",
  "log.info": "logging",
  onDispose: "lifecycle",
  onInstall: "lifecycle",
  "realtime.publish": "realtime",
  "rpc.register": "rpc",
  "sdk.plugins": "sdk-client",
  "settings.define": "settings",
  "status.needsConfiguration": "status-and-errors",
  "storage.database": "database",
  "storage.kv": "storage-kv",
  "storage.migrate": "database",
  "ui.registerMentionProvider": "mentions",
};

const directory = mkdtempSync(join(tmpdir(), "svc-guide-"));
after(() => rmSync(directory, { recursive: true, force: true }));
installFromRepository(directory);

const examples = writeExamples(directory);
writeComponents(join(directory, "own"));
writeFileSync(
  join(directory, "vitest.config.ts"),
  `export default { resolve: { alias: { "@": ${JSON.stringify(join(directory, "own"))} } } };\n`,
);
writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "guide", type: "module" }));
writeFileSync(
  join(directory, "tsconfig.json"),
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2023", "DOM", "DOM.Iterable"],
      module: "ESNext",
      moduleResolution: "bundler",
      jsx: "react-jsx",
      paths: { "@/*": ["./own/*"] },
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      noEmit: true,
    },
    exclude: ["node_modules"],
  }),
);

test("their types are right", async () => {
  const native = join(root, `node_modules/@typescript/typescript-linux-${process.arch}/lib/tsc`);
  const [command, ...args] = existsSync(native) ? [native] : [process.execPath, join(root, "node_modules/typescript/bin/tsc")];
  const { stdout } = await run(command, [...args, "-p", directory]).catch((failure) => failure);
  assert.equal(stdout, "");
});

test("a page with a server entry has a test of it", () => {
  for (const [page, files] of examples) {
    if (files.includes("server.ts")) {
      assert.ok(files.includes("tests/server.test.ts"), `${page}.md has no example tests/server.test.ts`);
    }
  }
});

test("every member of svc is in an example of its page", () => {
  for (const [member, page] of Object.entries(kPages)) {
    const server = readFileSync(join(directory, page, "server.ts"), "utf8");
    assert.ok(server.includes(`svc.${member}`), `${page}.md does not use svc.${member}`);
  }
  const declared = readFileSync(join(root, "sdk/src/api.ts"), "utf8").split(/export interface SvcPluginApi<.*> \{/)[1];
  const text = pages.map((page) => readFileSync(join(guide, page), "utf8")).join("");
  for (const [, member] of declared.matchAll(/^  (?:readonly )?(\w+)[:(]/gm)) {
    assert.match(text, new RegExp(`(svc\\.|\`)${member}\\b`), `no page names svc.${member}`);
  }
});

test("what is shown as JSON is JSON", () => {
  for (const page of pages) {
    for (const [, text] of readFileSync(join(guide, page), "utf8").matchAll(/^```json\n(.*?)^```$/gms)) {
      assert.doesNotThrow(() => JSON.parse(text), `${page}: ${text}`);
    }
  }
});

test("every page is in the table of contents", () => {
  const contents = readFileSync(join(guide, "README.md"), "utf8");
  for (const page of pages.filter((name) => name !== "README.md")) {
    assert.ok(contents.includes(`(${page})`), `docs/guide/README.md does not link to ${page}`);
  }
});

/** As the heading's address is made of its text. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

test("links to headings lead to one", () => {
  for (const page of pages) {
    for (const [, file, anchor] of readFileSync(join(guide, page), "utf8").matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)) {
      const target = readFileSync(file === "" ? join(guide, page) : join(guide, file), "utf8");
      const headings = [...target.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading));
      assert.ok(headings.includes(anchor), `${page}: ${file} has no heading #${anchor}`);
    }
  }
});

test("commands are those of svc", () => {
  const reference = readFileSync(join(root, "docs/cli.md"), "utf8");
  const [everywhere, ...sections] = reference.split(/^##+ (?=svc )/m);
  const known = new Map(sections.map((text) => [text.slice(0, text.indexOf("\n")), everywhere + text]));
  for (const page of pages) {
    const shell = [...readFileSync(join(guide, page), "utf8").matchAll(/^```(?:sh|text)\n(.*?)^```$/gms)].map(([, code]) => code).join("");
    for (const [line, command] of shell.matchAll(/(?<=^|\$ |&& )(svc plugin [a-z-]+).*/gm)) {
      const text = known.get(command);
      assert.ok(text, `${page}: docs/cli.md has no ${command}`);
      const own = line.replace(/ *#.*/, "").replace(/ && .*/, "");
      for (const [option] of own.matchAll(/(?<= )--?[a-z][a-z-]*/g)) {
        assert.ok(new RegExp(`[\`\\s]${option}\\b`).test(text), `${page}: ${command} has no option ${option}`);
      }
    }
  }
});

test("their tests pass", async () => {
  const files = [...examples].flatMap(([page, paths]) =>
    paths.filter((path) => /\.test\.tsx?$/.test(path)).map((path) => `${page}/${path}`),
  );
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["run", "--root", directory, "--maxWorkers", "2", "--no-isolate", ...files];
  const {
    stdout,
    stderr,
    code = 0,
  } = await run(process.execPath, [vitest, ...args], {
    env: { ...process.env, NO_COLOR: "1" },
  }).catch((failure) => failure);
  assert.equal(code, 0, `${stdout}${stderr}`);
  assert.match(stdout, new RegExp(`Test Files\\s+${files.length} passed`));
});
