// What a real server answers is what docs/http/openapi.json says, member by member, and the routes that it has are those.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { document, misfits, operations, resolve } from "./http_document.mjs";
import { startServer } from "./http_server.mjs";

let server;
before(async () => {
  server = await startServer();
});
after(() => server?.stop());

const asked = new Set();

/** Asks `route`, with what its parameters are; the answer has the status `status` and is as documented. */
async function ask(route, { body, status = 200, headers, ...values } = {}) {
  const [method, pattern] = route.split(" ");
  const found = operations.find((each) => each.method === method && each.pattern === pattern);
  assert.ok(found, `${route} is not in the document`);
  asked.add(`${method} ${found.path}`);
  const query = new URLSearchParams();
  const inPath = new Set();
  const path = pattern.replace(/:(\w+)|\*/g, (all, name = "rest") => {
    inPath.add(name);
    return name === "rest" ? values.rest : encodeURIComponent(values[name]);
  });
  const known = (found.operation.parameters ?? []).map((each) => resolve(each).name);
  for (const [name, value] of Object.entries(values)) {
    assert.ok(known.includes(name), `${route} documents no parameter ${name}`);
    if (!inPath.has(name)) {
      query.set(name, String(value));
    }
  }
  const init = { method, headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers } };
  const answer = await fetch(`${server.url}${path}?${query}`, { ...init, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.equal(answer.status, status, `${route}: ${text}`);
  const documented = resolve(found.operation.responses[status] ?? (status < 300 ? found.operation.responses["2XX"] : undefined));
  assert.ok(documented, `${route} documents no answer ${status}`);
  const schema = documented.content?.["application/json"]?.schema;
  if (schema === undefined) {
    return text;
  }
  const value = JSON.parse(text);
  assert.deepEqual(misfits(schema, value), [], `${route}: ${text}`);
  if (body !== undefined) {
    assert.deepEqual(misfits(found.operation.requestBody.content["application/json"].schema, body), [], `${route}: the body`);
  }
  return value;
}

test("the routes are those of the running server", async () => {
  const { paths } = await (await fetch(`${server.url}/api/v1/openapi.json`)).json();
  const live = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { "x-svc-guard": guard, "x-svc-body-limit": limit, "x-svc-websocket": socket }]) =>
      [method.toUpperCase(), path, guard, limit ?? 0, socket ?? false].join(" "),
    ),
  );
  const described = operations
    .filter(({ path }) => path.startsWith("/api/"))
    .map(({ method, path, operation }) => {
      const limit = operation["x-svc-body-limit"] ?? (method === "GET" || method === "DELETE" ? 0 : 8_388_608);
      return [method, path, operation["x-svc-guard"], limit, operation["x-svc-websocket"] ?? false].join(" ");
    });
  assert.deepEqual(described.sort(), live.sort());
});

test("the document is served with the pages", async () => {
  const answer = await fetch(`${server.url}/docs/openapi.json`);
  assert.match(answer.headers.get("content-type"), /^application\/json/);
  assert.deepEqual(await answer.json(), document);
});

test("answers about the server", async () => {
  for (const path of ["version", "config", "attention", "log", "provider-states", "usage-limits", "execution-options"]) {
    await ask(`GET /api/v1/system/${path}`);
  }
  await ask("GET /api/v1/openapi.json");
  await ask("GET /api/v1/registry/:name", { name: "registry.json" });
  await ask("POST /api/v1/system/config/reload");
  await ask("GET /readyz");
  await ask("GET /healthz");
  await ask("GET /metrics");
  await ask("POST /api/v1/access/links");
  await ask("GET /api/v1/access/enter", { code: "none", status: 403 });
  await ask("POST /api/v1/system/backup", { body: { file: `${server.folder}/backup.tar` } });
  await ask("POST /api/v1/system/backup", { body: { file: `${server.folder}/backup.tar` }, status: 409 });
});

test("answers about plugins", async () => {
  const source = `path:${server.folder}/sample`;
  await ask("POST /api/v1/plugins/install/check", { body: { source: `${server.folder}/sample` } });
  await ask("POST /api/v1/plugins/install/preview", { body: { source } });
  await ask("POST /api/v1/plugins/install/about", { body: { source } });
  const { plugin } = await ask("POST /api/v1/plugins/install", { body: { source } });
  assert.equal(plugin.status, "running", plugin.statusDetail);
  const id = plugin.id;
  for (const path of ["", "/overview", "/settings", "/logs", "/source", "/host", "/tools", "/rollback", "/dev-session"]) {
    await ask(`GET /api/v1/plugins/:id${path}`, { id });
  }
  for (const path of ["", "/top", "/contributions", "/safe-mode", "/rpc", "/updates", "/install-jobs"]) {
    await ask(`GET /api/v1/plugins${path}`);
  }
  await ask("GET /api/v1/plugins/rpc", { all: true });
  await ask("GET /api/v1/plugins/mentions/search", { q: "hello" });
  await ask("GET /api/v1/agent-tools");
  await ask("PUT /api/v1/plugins/:id/settings", { id, body: { values: { greeting: "hi" } } });
  await ask("PUT /api/v1/plugins/:id/settings", { id, body: { values: { other: 1 } }, status: 400 });
  await ask("POST /api/v1/plugins/:id/token", { id, body: {} });
  await ask("POST /api/v1/plugins/:id/rpc/:method", { id, method: "hello", body: {} });
  await ask("POST /api/v1/plugins/:id/rpc/:method", { id, method: "other", status: 404 });
  await ask("POST /api/v1/plugins/:id/cli", { id, body: { argv: ["hello"] } });
  await ask("POST /api/v1/plugins/:id/tools/:name", { id, name: "sample_hello", body: {} });
  await ask("POST /api/v1/plugins/:id/schedules/:name/run", { id, name: "nightly" });
  await ask("GET /api/v1/plugins/:id/http/*", { id, rest: "hello" });
  await ask("GET /api/v1/plugins/:id/assets/icon", { id });
  await ask("PUT /api/v1/plugins/:id/dev-session", { id, body: { problems: [{ kind: "app", message: "no" }] } });
  await ask("GET /api/v1/plugins/:id/dev-session", { id });
  await ask("DELETE /api/v1/plugins/:id/dev-session", { id });
  await ask("PUT /api/v1/plugins/:id/dev-problems", { id, body: { problems: [] } });
  await ask("POST /api/v1/plugins/:id/app-report", { id, body: { message: "no", phase: "mount" } });
  await ask("POST /api/v1/plugins/:id/inspector", { id });
  await ask("DELETE /api/v1/plugins/:id/inspector", { id });
  await ask("POST /api/v1/plugins/updates/check", { body: {} });
  await ask("GET /api/v1/plugins/updates");
  await ask("POST /api/v1/plugins/:id/rollback", { id, body: {}, status: 404 });
  await ask("POST /api/v1/plugins/:id/disable", { id });
  await ask("POST /api/v1/plugins/:id/enable", { id });
  await ask("POST /api/v1/plugins/reload", { id });
  await ask("POST /api/v1/plugins/prune", { body: { dryRun: true } });
  await ask("GET /api/v1/plugin-catalog/status");
  const { results } = await ask("GET /api/v1/plugin-catalog/search");
  const { entryId, marketplace } = results[0];
  await ask("GET /api/v1/plugin-catalog/install-plan", { entryId, marketplace });
  await ask("POST /api/v1/marketplaces/refresh");
  await ask("DELETE /api/v1/marketplaces/:name", { name: marketplace, status: 409 });
  const { jobs } = await ask("GET /api/v1/plugins/install-jobs");
  await ask("GET /api/v1/plugins/install-jobs/:job", { job: jobs[0].id });
  await ask("POST /api/v1/plugins/install-jobs/:job/cancel", { job: jobs[0].id, status: 409 });
  await ask("POST /api/v1/plugins/:id/update", { id, body: {}, status: 422 });
  await ask("POST /api/v1/plugins/:id/heap-snapshot", { id });
  await ask("PUT /api/v1/plugins/safe-mode", { body: { enabled: true } });
  await ask("POST /api/v1/plugins/reload", { id, status: 409 });
  await ask("PUT /api/v1/plugins/safe-mode", { body: { enabled: false } });
  await ask("GET /api/v1/marketplaces");
  await ask("GET /api/v1/plugins/:id", { id: "other", status: 404 });
});

test("answers about palettes, skills and clients of MCP", async () => {
  await ask("GET /api/v1/theme");
  await ask("PUT /api/v1/theme", { body: { themeId: "nord", faviconColor: "blue" } });
  await ask("GET /api/v1/themes");
  await ask("GET /api/v1/themes/:id/theme.css", { id: "plugin:sample:dusk" });
  const { skills } = await ask("GET /api/v1/skills");
  const { files } = await ask("GET /api/v1/skills/files", { skillId: skills[0].id });
  await ask("GET /api/v1/skills/content", { skillId: skills[0].id, path: files[0] });
  await ask("GET /api/v1/skills/tree/:hash", { hash: skills[0].tree.digest });
  await ask("DELETE /api/v1/skills", { body: { skillId: "plugin:sample:greet" }, status: 403 });
  const { token } = await ask("POST /api/v1/mcp/tokens", { body: { name: "desk", plugins: ["sample"] }, status: 201 });
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const headers = { accept: "application/json, text/event-stream" };
  await ask("POST /api/v1/mcp", { body: { jsonrpc: "2.0", id: 1, method: "initialize", params: hello }, headers });
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "sample_hello", arguments: {} } };
  await ask("POST /api/v1/mcp", { body: call, headers });
  await ask("DELETE /api/v1/mcp", { status: 405 });
  for (const path of ["tokens", "clients", "calls"]) {
    await ask(`GET /api/v1/mcp/${path}`);
  }
  await ask("GET /api/v1/mcp/forms/:form", { form: "none", status: 404 });
  await ask("DELETE /api/v1/mcp/tokens/:token", { token: token.id });
});

test("answers about machines, projects and files", async () => {
  const host = await server.machine();
  const hostId = host.id;
  await ask("GET /api/v1/hosts");
  await ask("GET /api/v1/hosts/providers");
  await ask("GET /api/v1/hosts/:hostId", { hostId });
  await ask("PATCH /api/v1/hosts/:hostId", { hostId, body: { name: "desk" } });
  await ask("GET /api/v1/hosts/:hostId/directory", { hostId, path: server.folder });
  await ask("GET /api/v1/hosts/:hostId/directory", { hostId, path: `${server.folder}/none`, status: 502 });
  await ask("POST /api/v1/hosts/:hostId/paths-exist", { hostId, body: { paths: [server.folder] } });
  await ask("POST /api/v1/hosts/:hostId/suspend", { hostId, status: 501 });
  await ask("POST /api/v1/hosts", { status: 501 });
  await ask("POST /api/v1/hosts/:hostId/pick-folder", { hostId, status: 501 });
  await ask("DELETE /api/v1/hosts/:hostId", { hostId, status: 409 });
  await ask("POST /api/v1/hosts/join-codes", { body: { name: "other" }, status: 201 });
  await ask("GET /api/v1/hosts/:hostId", { hostId: "none", status: 404 });

  const place = { type: "local_path", hostId, path: `${server.folder}/shop` };
  const { project } = await ask("POST /api/v1/projects", { body: { name: "Shop", source: place }, status: 201 });
  const projectId = project.id;
  await ask("GET /api/v1/projects", { includePersonal: true, include: "threads" });
  for (const path of ["", "/files", "/paths", "/branches", "/default-execution-options", "/prompt-history", "/clones"]) {
    await ask(`GET /api/v1/projects/:projectId${path}`, { projectId });
  }
  await ask("GET /api/v1/projects/:projectId/file-content", { projectId, path: "a.txt" });
  await ask("PATCH /api/v1/projects/:projectId", { projectId, body: { name: "The shop" } });
  await ask("GET /api/v1/hosts/:hostId/clone-default-path", { hostId, projectId });
  await ask("POST /api/v1/projects", { body: { name: "Shop", source: place }, status: 409 });
  const another = { ...place, path: server.folder };
  const { source } = await ask("POST /api/v1/projects/:projectId/sources", { projectId, body: another, status: 201 });
  const ofSource = { projectId, sourceId: source.id };
  await ask("PATCH /api/v1/projects/:projectId/sources/:sourceId", { ...ofSource, body: { type: "local_path", isDefault: true } });
  await ask("DELETE /api/v1/projects/:projectId/sources/:sourceId", ofSource);
  await ask("POST /api/v1/projects/reorder", { body: { projectId, previousProjectId: null, nextProjectId: null } });
  await ask("GET /api/v1/projects/:projectId/attachments/content", { projectId, path: "none", status: 404 });

  const path = `${server.folder}/note.txt`;
  await ask("POST /api/v1/files/write", { body: { path, content: "one" } });
  await ask("POST /api/v1/files/write", { body: { path, content: "two", expectedSha256: null } });
  await ask("POST /api/v1/files/read", { body: { path } });
  await ask("POST /api/v1/files/read", { body: { path: `${path}.none` }, status: 404 });
  await ask("POST /api/v1/files/list", { body: { path: `${server.folder}/shop` } });
  await ask("POST /api/v1/files/list-paths", { body: { path: `${server.folder}/shop`, includeFiles: true, includeDirectories: true } });
  await ask("POST /api/v1/files/mkdir", { body: { path: `${server.folder}/new` } });
  await ask("POST /api/v1/files/move", { body: { sourcePath: path, destinationPath: `${server.folder}/new/note.txt` } });
  await ask("POST /api/v1/files/remove", { body: { path: `${server.folder}/new`, recursive: true } });
  const { baseUrl } = await ask("POST /api/v1/files/create-preview", { body: { rootPath: `${server.folder}/shop` } });
  const preview = new URL(baseUrl, server.url).pathname.split("/").at(-1);
  await ask("GET /api/v1/files/previews/:preview/*", { preview, rest: "a.txt" });
  await ask("DELETE /api/v1/files/previews/:preview", { preview });
});

test("answers about threads, environments and terminals", async () => {
  await server.agent();
  await ask("GET /api/v1/providers");
  await ask("GET /api/v1/providers/models");
  const { projects } = await ask("GET /api/v1/projects");
  const projectId = projects[0].id;
  await ask("GET /api/v1/projects/:projectId/commands", { projectId, provider: "scripted" });
  const wanted = { projectId, providerId: "scripted", prompt: "Say hello" };
  const { thread } = await ask("POST /api/v1/threads", { body: wanted, status: 201 });
  const threadId = thread.id;
  const ofThread = { threadId };
  const done = { ...ofThread, type: "turn/completed", waitMs: 60000 };
  const { event } = await ask("GET /api/v1/threads/:threadId/events/wait", done);
  assert.equal(event.data.status, "completed");
  await ask("GET /api/v1/threads/:threadId", { threadId, include: "environment,host" });
  const paths = ["output", "timeline", "conversation-outline", "prompt-history", "default-execution-options", "events", "queued-messages"];
  for (const path of [...paths, "interactions", "tabs", "child-summary", "storage-location", "storage-files", "storage-paths"]) {
    await ask(`GET /api/v1/threads/:threadId/${path}`, ofThread);
  }
  const { rows, maxSeq } = await ask("GET /api/v1/threads/:threadId/timeline", { threadId, includeNestedRows: true });
  await ask("GET /api/v1/threads/:threadId/timeline", { threadId, afterSequence: maxSeq });
  const { turnId, sourceSeqStart, sourceSeqEnd } = rows.find(({ kind }) => kind === "turn");
  await ask("GET /api/v1/threads/:threadId/timeline/turns/:turnId", { threadId, turnId, sourceSeqStart, sourceSeqEnd });
  await ask("GET /api/v1/threads");
  await ask("GET /api/v1/threads/search", { query: "hello" });
  await ask("POST /api/v1/threads/resolve-mentions", { body: { threadIds: [threadId] } });
  await ask("PATCH /api/v1/threads/:threadId", { threadId, body: { title: "Greeting" } });
  for (const path of ["pin", "unpin", "mark-read", "mark-unread"]) {
    await ask(`POST /api/v1/threads/:threadId/${path}`, ofThread);
  }
  await ask("POST /api/v1/threads/:threadId/open", { threadId, body: { file: null } });
  await ask("PUT /api/v1/threads/:threadId/tabs", { threadId, body: { expectedRevision: 0, tabs: [{ id: "a", kind: "thread-info" }] } });
  await ask("PUT /api/v1/threads/:threadId/plugin-metadata/:pluginId", { threadId, pluginId: "sample", body: { metadata: { a: 1 } } });
  await ask("GET /api/v1/threads/:threadId/plugin-metadata/:pluginId", { threadId, pluginId: "sample" });
  await ask("POST /api/v1/threads/:threadId/compact", { threadId, status: 409 });
  await ask("POST /api/v1/threads/:threadId/edit-message", { threadId, body: { operationId: "a", prompt: "No" }, status: 409 });
  await ask("POST /api/v1/threads/:threadId/retry", { threadId, body: { turnRequestId: null }, status: 409 });
  const later = { prompt: "Later", sendAt: 9_000_000_000_000 };
  const { queuedMessage } = await ask("POST /api/v1/threads/:threadId/queued-messages", { threadId, body: later, status: 201 });
  const ofQueued = { threadId, queuedMessageId: queuedMessage.id };
  const edit = { prompt: "Soon", expectedUpdatedAt: queuedMessage.updatedAt };
  await ask("PATCH /api/v1/threads/:threadId/queued-messages/:queuedMessageId", { ...ofQueued, body: edit });
  const move = { previousQueuedMessageId: null, nextQueuedMessageId: null };
  await ask("POST /api/v1/threads/:threadId/queued-messages/:queuedMessageId/reorder", { ...ofQueued, body: move });
  await ask("GET /api/v1/threads/:threadId/queued-messages", ofThread);
  await ask("DELETE /api/v1/threads/:threadId/queued-messages/:queuedMessageId", ofQueued);
  await ask("POST /api/v1/threads/:threadId/send", { threadId, body: { mode: "auto", prompt: "Then", sendAt: 9_000_000_000_000 } });
  await ask("POST /api/v1/threads/:threadId/stop", ofThread);
  const { threadSection } = await ask("POST /api/v1/thread-sections", { body: { name: "Later" }, status: 201 });
  await ask("GET /api/v1/thread-sections");
  await ask("PATCH /api/v1/thread-sections/:id", { id: threadSection.id, body: { name: "Sooner" } });
  await ask("DELETE /api/v1/thread-sections/:id", { id: threadSection.id });

  const { environments } = await ask("GET /api/v1/environments", { projectId });
  const environmentId = environments[0].id;
  await ask("GET /api/v1/environments/providers");
  for (const path of ["", "/status", "/paths", "/diff-branches", "/pull-request"]) {
    await ask(`GET /api/v1/environments/:environmentId${path}`, { environmentId });
  }
  const target = "uncommitted";
  await ask("GET /api/v1/environments/:environmentId/diff", { environmentId, target });
  await ask("GET /api/v1/environments/:environmentId/diff-files", { environmentId, target });
  await ask("GET /api/v1/environments/:environmentId/diff-file", { environmentId, target, path: "a.txt", side: "old" });
  await ask("POST /api/v1/environments/:environmentId/diff-patch", { environmentId, body: { paths: ["a.txt"], target: { type: target } } });
  await ask("PATCH /api/v1/environments/:environmentId", { environmentId, body: { name: "here" } });

  const scope = { kind: "environment", environmentId };
  const { terminal } = await ask("POST /api/v1/terminals", { body: { scope, cols: 80, rows: 24 }, status: 201 });
  const terminalId = terminal.id;
  await ask("GET /api/v1/terminals");
  await ask("GET /api/v1/terminals/:terminalId", { terminalId });
  await ask("GET /api/v1/terminals/:terminalId/output", { terminalId });
  await ask("POST /api/v1/terminals/:terminalId/resize", { terminalId, body: { cols: 90, rows: 30 } });
  await ask("POST /api/v1/terminals/:terminalId/rename", { terminalId, body: { title: "Shell" } });
  await ask("POST /api/v1/terminals/:terminalId/input", { terminalId, body: { dataBase64: "IyBoaQo=" } });
  await ask("POST /api/v1/terminals/:terminalId/close", { terminalId, body: { mode: "force" } });

  const fork = await ask("POST /api/v1/threads/fork", { body: { sourceThreadId: threadId }, status: 201 });
  await ask("POST /api/v1/threads/:threadId/archive", { threadId: fork.thread.id });
  await ask("POST /api/v1/threads/:threadId/unarchive", { threadId: fork.thread.id });
  await ask("DELETE /api/v1/threads/:threadId", { threadId });
  await ask("GET /api/v1/threads/:threadId", { threadId, status: 404 });
});

test("answers about questions", async () => {
  const { threads } = await ask("GET /api/v1/threads");
  const threadId = threads[0].id;
  await ask("POST /api/v1/plugins/:id/rpc/:method", { id: "sample", method: "ask", body: threadId });
  await ask("GET /api/v1/threads/:threadId/events/wait", { threadId, type: "system/pluginInteraction/lifecycle", waitMs: 60000 });
  const { interactions } = await ask("GET /api/v1/threads/:threadId/interactions", { threadId });
  const ofQuestion = { threadId, interactionId: interactions[0].id };
  const route = "/api/v1/threads/:threadId/interactions/:interactionId";
  await ask(`GET ${route}`, ofQuestion);
  await ask(`POST ${route}/resolve`, { ...ofQuestion, body: { resolution: { decision: "deny" } }, status: 400 });
  await ask(`POST ${route}/respond`, { ...ofQuestion, body: { value: true } });
  await ask(`POST ${route}/cancel`, { ...ofQuestion, status: 409 });
});

test("a plugin and a project are removed", async () => {
  await ask("DELETE /api/v1/plugins/:id", { id: "sample", purge: true });
  const { projects } = await ask("GET /api/v1/projects");
  await ask("DELETE /api/v1/projects/:projectId", { projectId: projects[0].id });
});

test("most routes were asked", () => {
  const share = asked.size / operations.length;
  assert.ok(share > 0.8, `${asked.size} of ${operations.length}`);
});
