#include "golden_cases.h"

namespace svc::client {
namespace {

using Cases = std::vector<GoldenCase>;

constexpr auto kTodo =
    R"({"id":"todo","version":"1.0.0","source":"npm:svc-plugin-todo","status":"running","statusDetail":null,"enabled":true,)"
    R"("rootDir":"/data/plugins/cache/npm/todo","generation":3,"handlerStats":{"count":12,"totalMs":345.6,"maxMs":40,"errorCount":1},)"
    R"("services":[{"name":"sync","state":"backoff","restarts":2,"lastError":{"at":1767225600000,"message":"no network"}}],)"
    R"("schedules":[{"name":"daily","cron":"0 8 * * *","nextRunAt":1767254400000,"lastStatus":"ok","lastRunMissed":true}],)"
    R"("cliCommand":{"name":"todo","summary":"Keep a todo list","shadowed":false},)"
    R"("counters":{"outOfBandErrors":1,"watchdogStalls":0,"terminations":0,"heldCalls":4},)"
    R"("resources":{"workerThreads":3,"descriptors":12,"databaseBytes":3145728,"databaseConnections":2},)"
    R"("lastError":{"at":1767225600000,"message":"boom","stack":"Error: boom\n    at server.ts:3:1","source":"rpc:add"},)"
    R"("problems":[{"code":"unknown_field","message":"svc.colour"}],"unsupported":["svc.theme"]})";
constexpr auto kBroken =
    R"({"id":"notes","version":"0.2.0","source":"path:/src/notes","status":"error","statusDetail":"server.ts:1: no","enabled":true})";

std::string record(const std::string& json) { return R"({"ok":true,"plugin":)" + json + "}"; }
GoldenCase::Answer ok(std::string body) { return {200, std::move(body)}; }

Cases lifecycle() {
  const auto both = R"({"ok":true,"plugins":[)" + std::string(kBroken) + "," + kTodo + "]}";
  return {
      {"plugin-list", {"plugin", "list"}, {{"GET /api/v1/plugins", ok(both)}}},
      {"plugin-list-empty",
       {"plugin", "list"},
       {{"GET /api/v1/plugins", ok(R"({"ok":true,"plugins":[]})")}}},
      {"plugin-show",
       {"plugin", "show", "todo"},
       {{"GET /api/v1/plugins/todo", ok(record(kTodo))}}},
      {"plugin-show-unknown",
       {"plugin", "show", "nobody"},
       {{"GET /api/v1/plugins/nobody",
         {404,
          R"({"ok":false,"error":{"code":"unknown_plugin","message":"there is no plugin \"nobody\""}})"}}}},
      {"plugin-reload", {"plugin", "reload"}, {{"POST /api/v1/plugins/reload", ok(both)}}},
      {"plugin-enable",
       {"plugin", "enable", "todo"},
       {{"POST /api/v1/plugins/todo/enable", ok(record(kTodo))}}},
      {"plugin-disable",
       {"plugin", "disable", "todo"},
       {{"POST /api/v1/plugins/todo/disable",
         ok(record(R"({"id":"todo","version":"1.0.0","source":"npm:x","status":"disabled"})"))}}},
      {"plugin-remove",
       {"plugin", "remove", "todo"},
       {{"GET /api/v1/plugins/todo", ok(record(kTodo))},
        {"DELETE /api/v1/plugins/todo",
         ok(R"({"ok":true,"removed":"todo","kept":["kv: 12 keys","logs"]})")}}},
      {"plugin-remove-purge",
       {"plugin", "remove", "todo", "--purge"},
       {{"GET /api/v1/plugins/todo", ok(record(kTodo))},
        {"DELETE /api/v1/plugins/todo?purge=true",
         ok(R"({"ok":true,"removed":"todo","kept":[]})")}}},
      {"plugin-token",
       {"plugin", "token", "todo"},
       {{"POST /api/v1/plugins/todo/token", ok(R"({"ok":true,"token":"abc123"})")}}},
      {"plugin-safe-mode",
       {"plugin", "safe-mode", "off"},
       {{"PUT /api/v1/plugins/safe-mode",
         ok(R"({"ok":true,"enabled":false,"problems":[{"id":"notes","status":"error","statusDetail":"no"}]})")}}},
      {"plugin-config",
       {"plugin", "config", "todo"},
       {{"GET /api/v1/plugins/todo/settings",
         ok(R"({"ok":true,"schema":{"mode":{"type":"string","label":"Mode","options":["a","b"]},"key":{"type":"string","secret":true}},"values":{"mode":"a","key":{"set":true}}})")}}},
      {"plugin-config-set",
       {"plugin", "config", "todo", "set", "mode", "b"},
       {{"GET /api/v1/plugins/todo/settings",
         ok(R"({"ok":true,"schema":{"mode":{"type":"string"}},"values":{"mode":"a"}})")},
        {"PUT /api/v1/plugins/todo/settings",
         ok(R"({"ok":true,"schema":{"mode":{"type":"string"}},"values":{"mode":"b"}})")}}},
      {"plugin-run",
       {"plugin", "run", "todo", "add", "tea"},
       {{"POST /api/v1/plugins/todo/cli",
         ok(R"({"ok":true,"exitCode":7,"stdout":"added","stderr":"careful"})")}}},
  };
}

Cases sources() {
  const std::string check =
      R"({"ok":true,"results":[{"id":"todo","outcome":"update-available","installed":{"version":"1.0.0"},)"
      R"("candidate":{"version":"1.1.0"},"blocked":{"version":"2.0.0","reasons":["needs svc ^2"]},"checkedAt":1},)"
      R"({"id":"notes","outcome":"pinned","installed":{"version":"0.2.0"},"detail":"a directory","checkedAt":1}]})";
  const std::string one =
      R"({"ok":true,"results":[{"id":"todo","outcome":"update-available","installed":{"version":"1.0.0"},"candidate":{"version":"1.1.0"},"checkedAt":1}]})";
  const std::string market =
      R"({"name":"acme","source":"https://acme.example/marketplace.json","entries":3,"dropped":[{"id":"bad","reason":"source.npm has no package"}],"addedAt":1767225600000,"refreshedAt":1767225600000,"lastError":null})";
  return {
      {"plugin-about",
       {"plugin", "about", "todo@acme"},
       {{"POST /api/v1/plugins/install/about",
         ok(R"({"ok":true,"about":{"id":"todo","package":"svc-plugin-todo","version":"1.2.0","name":"Todo",)"
            R"("description":"A list.","license":"MIT","author":"Ada","homepage":"https://example.org/todo",)"
            R"("entries":{"server":true,"app":true,"host":true},"engines":{"svc":">=0.43","svcPluginSdk":null},)"
            R"("capabilities":[{"kind":"skill","id":"todos","label":"todos","detail":"When asked."}],"problems":[],)"
            R"("dependencies":["zod"],"files":7,"bytes":2048,"readme":"# Todo\n\nText.\n","readmeIsCut":false,"pictures":[]}})")}}},
      {"plugin-install",
       {"plugin", "install", "./todo"},
       {{"POST /api/v1/plugins/install", ok(record(kTodo))}}},
      {"plugin-install-refused",
       {"plugin", "install", "npm:svc-plugin-todo", "--yes"},
       {{"POST /api/v1/plugins/install/preview",
         ok(R"({"ok":true,"preview":{"package":"svc-plugin-todo","version":"1.0.0","from":"npm registry"}})")},
        {"POST /api/v1/plugins/install",
         {422,
          R"({"ok":false,"error":{"code":"install_refused","message":"another source owns \"todo\"","details":{"reason":"id_in_use"}}})"}}}},
      {"plugin-install-no-wait",
       {"plugin", "install", "./todo", "--yes", "--no-wait"},
       {{"POST /api/v1/plugins/install",
         {202, R"({"ok":true,"job":{"id":"j1","state":"queued"}})"}}}},
      {"plugin-install-jobs",
       {"plugin", "install-jobs"},
       {{"GET /api/v1/plugins/install-jobs",
         ok(R"({"ok":true,"jobs":[{"id":"j2","source":"npm:x","state":"running","step":"downloading","error":null,"pluginId":null,"createdAt":1767225600000,"finishedAt":null},)"
            R"({"id":"j1","source":"git:y","state":"failed","step":"building","error":{"code":"install_refused","message":"build failed"},"pluginId":null,"createdAt":1767225600000,"finishedAt":1767225601000}]})")}}},
      {"plugin-cancel-install",
       {"plugin", "cancel-install", "j2"},
       {{"POST /api/v1/plugins/install-jobs/j2/cancel",
         ok(R"({"ok":true,"job":{"id":"j2","state":"cancelled"}})")}}},
      {"plugin-source",
       {"plugin", "source", "todo"},
       {{"GET /api/v1/plugins/todo/source",
         ok(R"({"ok":true,"source":{"requested":"npm:svc-plugin-todo@^1","resolved":"svc-plugin-todo@1.0.0","range":"^1","integrity":"sha512-x","engines":{"svc":"^0.43.0"},"installedAt":1767225600000,"history":[{"version":"0.9.0","resolved":"svc-plugin-todo@0.9.0","at":1767225600000}]}})")}}},
      {"plugin-outdated",
       {"plugin", "outdated"},
       {{"POST /api/v1/plugins/updates/check", ok(check)}}},
      {"plugin-update",
       {"plugin", "update", "todo"},
       {{"POST /api/v1/plugins/updates/check", ok(one)},
        {"POST /api/v1/plugins/todo/update",
         ok(R"({"ok":true,"applied":true,"from":"1.0.0","to":"1.1.0","outcome":"updated"})")}}},
      {"plugin-update-rolled-back",
       {"plugin", "update", "--all", "--yes"},
       {{"POST /api/v1/plugins/updates/check", ok(check)},
        {"POST /api/v1/plugins/todo/update",
         ok(R"({"ok":true,"applied":false,"from":"1.0.0","to":"1.1.0","outcome":"rolled-back","detail":"server.ts:1: boom"})")}}},
      {"plugin-update-nothing",
       {"plugin", "update", "todo"},
       {{"POST /api/v1/plugins/updates/check",
         ok(R"({"ok":true,"results":[{"id":"todo","outcome":"incompatible","installed":{"version":"1.0.0"},"blocked":{"version":"2.0.0","reasons":["needs svc ^2"]},"checkedAt":1}]})")}}},
      {"plugin-rollback",
       {"plugin", "rollback", "todo"},
       {{"GET /api/v1/plugins/todo/rollback",
         ok(R"({"ok":true,"rollback":{"version":"1.0.0","resolved":"npm:svc-plugin-todo@1.0.0","takenAt":1767225600000,"keptUntil":1767830400000}})")},
        {"POST /api/v1/plugins/todo/rollback",
         ok(R"({"ok":true,"from":"1.1.0","to":"1.0.0","plugin":)" + std::string(kTodo) + "}")}}},
      {"plugin-search", {"plugin", "search", "to do"}, {{"GET /api/v1/plugin-catalog/search?q=to%20do", ok(R"({"ok":true,"results":[{"entryId":"todo","marketplace":"acme","displayName":"Todo","description":"Keep a todo list","author":{"name":"Acme","url":null},"source":"npm:svc-plugin-todo","installed":true,"installedVersion":"1.0.0","compatible":true,"incompatibleReason":null},{"entryId":"notes","marketplace":"acme","displayName":"Notes","description":"Keep notes","author":{"name":"Acme","url":null},"source":"npm:svc-plugin-notes","installed":false,"installedVersion":null,"compatible":false,"incompatibleReason":"needs svc ^2"}]})")}}},
      {"plugin-prune",
       {"plugin", "prune", "--dry-run"},
       {{"POST /api/v1/plugins/prune",
         ok(R"({"ok":true,"removed":[{"path":"cache/npm/x/1.0.0","bytes":1234567}],"bytes":1234567,"dryRun":true})")}}},
      {"marketplace-add",
       {"marketplace", "add", "https://acme.example/marketplace.json"},
       {{"POST /api/v1/marketplaces", {201, R"({"ok":true,"marketplace":)" + market + "}"}}}},
      {"marketplace-list",
       {"marketplace", "list"},
       {{"GET /api/v1/marketplaces", ok(R"({"ok":true,"marketplaces":[)" + market + "]}")}}},
      {"marketplace-refresh",
       {"marketplace", "refresh"},
       {{"GET /api/v1/marketplaces", ok(R"({"ok":true,"marketplaces":[)" + market + "]}")},
        {"POST /api/v1/marketplaces/acme/refresh",
         ok(R"({"ok":true,"results":[{"name":"acme","ok":true,"error":null,"marketplace":)" +
            market + "}]}")}}},
      {"marketplace-refresh-failed",
       {"marketplace", "refresh", "acme"},
       {{"POST /api/v1/marketplaces/acme/refresh",
         ok(R"({"ok":true,"results":[{"name":"acme","ok":false,"error":"https://acme.example/marketplace.json is not JSON","marketplace":)" +
            market + "}]}")}}},
      {"marketplace-remove",
       {"marketplace", "remove", "acme"},
       {{"DELETE /api/v1/marketplaces/acme",
         ok(R"({"ok":true,"removed":"acme","convertedPluginIds":["notes","todo"]})")}}},
  };
}

Cases tools() {
  return {
      {"plugin-top",
       {"plugin", "top", "--once"},
       {{"GET /api/v1/plugins/top",
         ok(R"({"ok":true,"plugins":[{"id":"todo","cpuMs":1500,"cpuPercent":2.5,"heapBytes":10485760,"externalBytes":2097152,"workerThreads":3,"descriptors":12,"databaseBytes":3145728,"databaseConnections":2,"parkedEnvironments":1,"parkedBytes":855638016,"loopDelayP99Ms":1.2,"calls":7,"errors":1,"restarts":2}]})")}}},
      {"plugin-logs",
       {"plugin", "logs", "todo"},
       {{"GET /api/v1/plugins/todo/logs?tail=100",
         ok(R"({"ok":true,"cursor":2,"lines":["{\"ts\":1767225600000,\"level\":\"info\",\"message\":\"hello\"}","{\"ts\":1767225600001,\"level\":\"error\",\"message\":\"boom\",\"stack\":\"    at server.ts:3\"}"]})")}}},
      {"plugin-rpc-list",
       {"plugin", "rpc", "list"},
       {{"GET /api/v1/plugins/rpc",
         ok(R"({"ok":true,"methods":[{"pluginId":"todo","method":"add"},{"pluginId":"todo","method":"list"}]})")}}},
      {"plugin-rpc-list-one",
       {"plugin", "rpc", "list", "todo"},
       {{"GET /api/v1/plugins/rpc?pluginId=todo&all=true",
         ok(R"({"ok":true,"methods":[{"pluginId":"todo","method":"add","published":true},{"pluginId":"todo","method":"wipe","published":false}]})")}}},
      {"plugin-rpc-call-unknown",
       {"plugin", "rpc", "call", "todo", "nope"},
       {{"POST /api/v1/plugins/todo/rpc/nope",
         {404,
          R"({"ok":false,"error":{"code":"unknown_method","message":"plugin \"todo\" has no rpc method \"nope\""}})"}}}},
      {"backup-full-disk",
       {"backup", "/mnt/full.svcbackup"},
       {{"POST /api/v1/system/backup",
         {503,
          R"({"ok":false,"error":{"code":"unavailable","message":"/mnt/full.svcbackup cannot be written: No space left on device"}})"}}}},
      {"plugin-rpc-inspect",
       {"plugin", "rpc", "inspect", "todo", "add"},
       {{"GET /api/v1/plugins/rpc?pluginId=todo&method=add&all=true",
         ok(R"({"ok":true,"methods":[{"pluginId":"todo","method":"add","inputSchema":{"type":"object"}}]})")}}},
      {"plugin-rpc-call",
       {"plugin", "rpc", "call", "todo", "add", R"({"title":"tea"})"},
       {{"POST /api/v1/plugins/todo/rpc/add", ok(R"({"ok":true,"result":{"id":1}})")}}},
      {"plugin-tool-list",
       {"plugin", "tool", "list"},
       {{"GET /api/v1/agent-tools",
         ok(R"({"ok":true,"tools":[{"pluginId":"notes","name":"notes_add","description":"Keeps a note.\nFor long.","offered":true,"holder":"notes"},{"pluginId":"todo","name":"notes_add","description":"Adds","offered":false,"holder":"notes"}]})")}}},
      {"plugin-tool-inspect",
       {"plugin", "tool", "inspect", "todo", "add"},
       {{"GET /api/v1/plugins/todo/tools",
         ok(R"({"ok":true,"tools":[{"pluginId":"todo","name":"add","description":"Adds","inputSchema":{"type":"object"}},{"pluginId":"todo","name":"other"}]})")}}},
      {"plugin-tool-inspect-unknown",
       {"plugin", "tool", "inspect", "todo", "nope"},
       {{"GET /api/v1/plugins/todo/tools", ok(R"({"ok":true,"tools":[]})")}}},
      {"plugin-tool-call", {"plugin", "tool", "call", "todo", "add", R"({"title":"tea"})"}, {{"POST /api/v1/plugins/todo/tools/add?progress=true", ok(R"({"ok":true,"content":[{"type":"text","text":"added"},{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}],"isError":false,"durationMs":3})")}}},
      {"plugin-tool-call-failed",
       {"plugin", "tool", "call", "todo", "add"},
       {{"POST /api/v1/plugins/todo/tools/add?progress=true",
         ok(R"({"ok":true,"content":[{"type":"text","text":"Invalid arguments for tool add: title"}],"isError":true,"durationMs":3})")}}},
      {"plugin-tool-call-unknown",
       {"plugin", "tool", "call", "todo", "nope"},
       {{"POST /api/v1/plugins/todo/tools/nope?progress=true",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"plugin \"todo\" has no tool \"nope\""}})"}}}},
      {"plugin-inspect",
       {"plugin", "inspect", "todo"},
       {{"POST /api/v1/plugins/todo/inspector",
         ok(R"({"ok":true,"url":"ws://127.0.0.1:5000/u","devtoolsUrl":"devtools://devtools/bundled/js_app.html?v8only=true&ws=127.0.0.1:5000/u"})")}}},
      {"plugin-inspect-close",
       {"plugin", "inspect", "todo", "--close"},
       {{"DELETE /api/v1/plugins/todo/inspector", ok(R"({"ok":true,"wasOpen":true})")}}},
      {"plugin-profile",
       {"plugin", "profile", "todo", "--seconds", "1"},
       {{"POST /api/v1/plugins/todo/profile",
         ok(R"({"ok":true,"profile":{"nodes":[],"startTime":0,"endTime":1}})")}}},
      {"plugin-heap",
       {"plugin", "heap", "todo"},
       {{"POST /api/v1/plugins/todo/heap-snapshot", ok(R"({"snapshot":{}})")}}},
      {"plugin-heap-not-running",
       {"plugin", "heap", "todo"},
       {{"POST /api/v1/plugins/todo/heap-snapshot",
         {503,
          R"json({"ok":false,"error":{"code":"plugin_not_running","message":"plugin \"todo\" is not running (status disabled)"}})json"}}}},
      {"plugin-new-bad-name", {"plugin", "new", "Bad_Name"}},
      {"plugin-new-unknown-example", {"plugin", "new", "mine", "--from", "nots"}},
      {"plugin-examples", {"plugin", "examples"}},
      {"plugin-examples-one", {"plugin", "examples", "notes"}},
      {"plugin-examples-unknown", {"plugin", "examples", "x"}},
      {"plugin-add-list", {"plugin", "add"}},
      {"plugin-add-unknown", {"plugin", "add", "tabel"}},
      {"plugin-add-nothing", {"plugin", "add", "table"}},
      {"plugin-dev-nothing", {"plugin", "dev"}},
      {"plugin-build-nothing", {"plugin", "build"}},
      {"plugin-test-nothing", {"plugin", "test"}},
      {"plugin-types-nothing", {"plugin", "types", "--check"}},
  };
}

Cases machines() {
  const std::string home =
      R"({"id":"host_1","name":"home","type":"persistent","status":"connected","role":"server","state":"available","stateMessage":null,"lastSeenAt":1767225600000,"lastRejectedProtocolVersion":null,"createdAt":1767139200000,"updatedAt":1767139200000})";
  const std::string mac =
      R"({"id":"host_2","name":"mac","type":"persistent","status":"disconnected","role":"machine","state":"setup-required","stateMessage":"its host daemon speaks protocol version 2, this server version 1: update svc on the server and start it again","lastSeenAt":null,"lastRejectedProtocolVersion":2,"createdAt":1767139200000,"updatedAt":1767139200000})";
  const auto list = ok(R"({"ok":true,"hosts":[)" + home + "," + mac + "]}");
  const std::string code =
      R"({"ok":true,"joinCode":"svce_abc","hostId":"host_2","expiresAt":1767226500000,"serverUrl":)";
  const auto refused = [&list](const std::string& change, const std::string& what) {
    return GoldenCase{
        "machine-" + change,
        {"machine", change, "mac"},
        {{"GET /api/v1/hosts", list},
         {"POST /api/v1/hosts/host_2/" + change,
          {501,
           R"({"ok":false,"error":{"code":"not_supported","message":"only a machine that a machine provider has made )" +
               what + R"("}})"}}}};
  };
  return {
      {"machine-list", {"machine", "list"}, {{"GET /api/v1/hosts", list}}},
      {"machine-show",
       {"machine", "show", "mac"},
       {{"GET /api/v1/hosts", list},
        {"GET /api/v1/hosts/host_2", ok(R"({"ok":true,"host":)" + mac + "}")}}},
      {"machine-show-server",
       {"machine", "show", "host_1"},
       {{"GET /api/v1/hosts", list},
        {"GET /api/v1/hosts/host_1", ok(R"({"ok":true,"host":)" + home + "}")}}},
      {"machine-show-unknown", {"machine", "show", "mc"}, {{"GET /api/v1/hosts", list}}},
      {"machine-enroll",
       {"machine", "enroll", "--name", "mac"},
       {{"POST /api/v1/hosts/join-codes", {201, code + R"("https://svc.example"})"}}}},
      {"machine-enroll-loopback",
       {"machine", "enroll", "--host", "mac"},
       {{"GET /api/v1/hosts", list}, {"POST /api/v1/hosts/join-codes", {201, code + "null}"}}}},
      {"machine-rename",
       {"machine", "rename", "mac", "home"},
       {{"GET /api/v1/hosts", list},
        {"PATCH /api/v1/hosts/host_2", ok(R"({"ok":true,"host":{"name":"home-2"}})")}}},
      {"machine-remove",
       {"machine", "remove", "mac"},
       {{"GET /api/v1/hosts", list},
        {"GET /api/v1/environments",
         ok(R"({"ok":true,"environments":[{"hostId":"host_1","status":"ready"},{"hostId":"host_2","status":"ready"},{"hostId":"host_2","status":"destroyed"}]})")},
        {"GET /api/v1/threads?archived=false&includeHidden=true",
         ok(R"({"ok":true,"threads":[{"environmentHostId":"host_2","status":"active"},{"environmentHostId":"host_2","status":"idle"},{"environmentHostId":null,"status":"active"}]})")},
        {"DELETE /api/v1/hosts/host_2", ok(R"({"ok":true,"removed":"host_2"})")}}},
      {"machine-remove-connected",
       {"machine", "remove", "box", "--yes"},
       {{"GET /api/v1/hosts",
         ok(R"({"ok":true,"hosts":[{"id":"host_3","name":"box","state":"available"}]})")},
        {"DELETE /api/v1/hosts/host_3", ok(R"({"ok":true,"removed":"host_3"})")}}},
      {"machine-remove-server",
       {"machine", "remove", "home", "--yes"},
       {{"GET /api/v1/hosts", list},
        {"DELETE /api/v1/hosts/host_1",
         {409,
          R"({"ok":false,"error":{"code":"conflict","message":"\"home\" is the server's own machine, which cannot be removed"}})"}}}},
      {"machine-retry-update",
       {"machine", "retry-update", "mac"},
       {{"GET /api/v1/hosts", list},
        {"POST /api/v1/hosts/host_2/retry-update", ok(R"({"ok":true,"host":)" + mac + "}")}}},
      {"machine-providers-none",
       {"machine", "providers"},
       {{"GET /api/v1/hosts/providers", ok(R"({"ok":true,"providers":[]})")}}},
      {"machine-providers",
       {"machine", "providers"},
       {{"GET /api/v1/hosts/providers",
         ok(R"({"ok":true,"providers":[{"id":"vm","pluginId":"cloud","displayName":"Cloud VMs",)"
            R"("availability":{"status":"unavailable","message":"not run by this version"}}]})")}}},
      {"machine-create",
       {"machine", "create", "vm"},
       {{"POST /api/v1/hosts",
         {501,
          R"({"ok":false,"error":{"code":"not_supported","message":"machines are made by machine providers"}})"}}}},
      refused("suspend", "can be suspended"),
      refused("resume", "can be resumed"),
      refused("retry-cleanup", "is cleaned up after"),
      {"help-machine", {"machine", "--help"}},
  };
}

Cases skills() {
  const std::string text =
      R"({"id":"plugin:todo:todo-list","name":"todo-list","description":"Keep a todo list","filePath":"/data/plugins/todo/skills/todo-list/SKILL.md","scope":"plugin","provider":null,"pluginId":"todo","registrySkillId":null,"manageable":false,"offered":true,"tree":{"digest":"00","files":[{"path":"SKILL.md","size":120,"digest":"11","executable":false}]}})";
  const std::string other =
      R"({"id":"provider-user:claude:notes","name":"notes","description":"Notes\u001b[2J of mine","filePath":"/home/me/.claude/skills/notes/SKILL.md","scope":"provider-user","provider":"claude","pluginId":null,"registrySkillId":null,"manageable":false,"offered":false,"tree":{"digest":"22","files":[]}})";
  const auto list = ok(
      R"({"ok":true,"skills":[)" + text + "," + other +
      R"(],"catalogHash":"33","problems":[{"path":"/data/skills/bad","message":"it has no SKILL.md"}]})");
  return {
      {"skill-list", {"skill", "list"}, {{"GET /api/v1/skills", list}}},
      {"skill-list-empty",
       {"skill", "list"},
       {{"GET /api/v1/skills", ok(R"({"ok":true,"skills":[],"catalogHash":"","problems":[]})")}}},
      {"skill-show",
       {"skill", "show", "todo-list"},
       {{"GET /api/v1/skills", list},
        {"GET /api/v1/skills/content?skillId=plugin%3Atodo%3Atodo-list&path=SKILL.md",
         ok(R"({"ok":true,"content":"---\nname: todo-list\n---\n# Todo\u001b[2J\n","revision":"11"})")}}},
      {"skill-show-unknown", {"skill", "show", "todo"}, {{"GET /api/v1/skills", list}}},
      {"skill-export", {"skill", "export", "copies", "nothing"}, {{"GET /api/v1/skills", list}}},
      {"skill-sync", {"skill", "sync", "--dry-run"}, {{"GET /api/v1/skills", list}}},
      {"skill-sync-unknown-agent", {"skill", "sync", "--agent", "nobody"}},
      {"skill-validate-nothing", {"skill", "validate", "missing"}},
      {"help-skill", {"skill", "--help"}},
      {"help-skill-sync", {"skill", "sync", "--help"}},
  };
}

Cases projects() {
  const std::string shop =
      R"({"id":"proj_1","kind":"standard","name":"shop","gitRemoteUrl":"git@example.org:shop.git","sources":[{"id":"src_1","projectId":"proj_1","type":"local_path","hostId":"host_1","path":"/srv/shop","isDefault":true,"createdAt":1767139200000,"updatedAt":1767139200000},{"id":"src_2","projectId":"proj_1","type":"local_path","hostId":"host_9","path":"/work/shop","isDefault":false,"createdAt":1767139200000,"updatedAt":1767139200000}],"createdAt":1767139200000,"updatedAt":1767139200000})";
  const std::string personal =
      R"({"id":"proj_personal","kind":"personal","name":"Personal","gitRemoteUrl":null,"sources":[],"createdAt":1767139200000,"updatedAt":1767139200000})";
  const auto hosts = ok(
      R"({"ok":true,"hosts":[{"id":"host_1","name":"home","role":"server"},{"id":"host_2","name":"mac","role":"machine"}]})");
  const auto all = ok(R"({"ok":true,"projects":[)" + personal + "," + shop + "]}");
  const std::string lookup = "GET /api/v1/projects?includePersonal=true";
  const std::string source =
      R"({"ok":true,"source":{"id":"src_3","path":"/home/ada/shop","hostId":"host_2"}})";
  return {
      {"project-list",
       {"project", "list"},
       {{"GET /api/v1/projects", ok(R"({"ok":true,"projects":[)" + shop + "]}")},
        {"GET /api/v1/hosts", hosts}}},
      {"project-list-empty",
       {"project", "list"},
       {{"GET /api/v1/projects", ok(R"({"ok":true,"projects":[]})")}}},
      {"project-show",
       {"project", "show", "shop"},
       {{lookup, all},
        {"GET /api/v1/projects/proj_1", ok(R"({"ok":true,"project":)" + shop + "}")},
        {"GET /api/v1/hosts", hosts}}},
      {"project-show-personal",
       {"project", "show", "proj_personal"},
       {{lookup, all},
        {"GET /api/v1/projects/proj_personal", ok(R"({"ok":true,"project":)" + personal + "}")},
        {"GET /api/v1/hosts", hosts}}},
      {"project-show-unknown", {"project", "show", "shp"}, {{lookup, all}}},
      {"project-create",
       {"project", "create", "shop", "/srv/shop"},
       {{"GET /api/v1/hosts", hosts},
        {"POST /api/v1/projects", {201, R"({"ok":true,"project":)" + shop + "}"}}}},
      {"project-create-refused",
       {"project", "create", "shop", "/srv/shp", "--machine", "mac"},
       {{"GET /api/v1/hosts", hosts},
        {"POST /api/v1/projects",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"/srv/shp does not exist"}})"}}}},
      {"project-create-taken",
       {"project", "create", "shop", "/srv/shop", "--machine", "mac"},
       {{"GET /api/v1/hosts", hosts},
        {"POST /api/v1/projects",
         {409,
          R"({"ok":false,"error":{"code":"conflict","message":"there is a project \"shop\""}})"}}}},
      {"project-rename",
       {"project", "rename", "shop", "store"},
       {{lookup, all},
        {"PATCH /api/v1/projects/proj_1", ok(R"({"ok":true,"project":{"name":"store"}})")}}},
      {"project-delete",
       {"project", "delete", "shop"},
       {{lookup, all}, {"DELETE /api/v1/projects/proj_1", ok(R"({"ok":true})")}}},
      {"project-delete-personal",
       {"project", "delete", "Personal", "--yes"},
       {{lookup, all},
        {"DELETE /api/v1/projects/proj_personal",
         {409,
          R"({"ok":false,"error":{"code":"conflict","message":"the personal project cannot be changed or deleted"}})"}}}},
      {"project-source-add",
       {"project", "source", "add", "shop", "~/shop", "--machine", "mac"},
       {{lookup, all},
        {"GET /api/v1/hosts", hosts},
        {"POST /api/v1/projects/proj_1/sources", {201, source}}}},
      {"project-source-default",
       {"project", "source", "default", "shop", "/work/shop"},
       {{lookup, all},
        {"PATCH /api/v1/projects/proj_1/sources/src_2",
         ok(R"({"ok":true,"source":{"path":"/work/shop"}})")}}},
      {"project-source-remove",
       {"project", "source", "remove", "shop", "src_2"},
       {{lookup, all}, {"DELETE /api/v1/projects/proj_1/sources/src_2", ok(R"({"ok":true})")}}},
      {"project-source-unknown",
       {"project", "source", "remove", "shop", "/nowhere"},
       {{lookup, all}}},
      {"help-project", {"project", "--help"}},
      {"help-project-source", {"project", "source", "--help"}},
  };
}

Cases files() {
  const std::string own = R"({"id":"host_1","name":"own","state":"available","role":"server"})";
  const auto hosts = ok(R"({"ok":true,"hosts":[)" + own + "]}");
  const GoldenCase::Answer offline{
      502,
      R"({"ok":false,"error":{"code":"host_unavailable","message":"the machine mac is not connected"}})"};
  return {
      {"file-list",
       {"file", "list", "/srv"},
       {{"POST /api/v1/files/list-paths",
         ok(R"({"ok":true,"paths":[{"kind":"directory","name":"a","path":"a","score":0,"positions":[]},{"kind":"file","name":"b\u001b[2J.txt","path":"a/b\u001b[2J.txt","score":0,"positions":[]}],"truncated":true})")},
        {"POST /api/v1/files/list",
         ok(R"({"ok":true,"files":[{"name":"b\u001b[2J.txt","path":"a/b\u001b[2J.txt"}],"truncated":true})")}}},
      {"file-read",
       {"file", "read", "/srv/b.txt"},
       {{"POST /api/v1/files/read",
         ok(R"({"ok":true,"path":"/srv/b.txt","content":"text\n","contentEncoding":"utf8","sha256":"00","sizeBytes":5,"modifiedAtMs":1,"mode":420})")}}},
      {"file-write", {"file", "write", "/srv/b.txt"}, {{"POST /api/v1/files/write", offline}}},
      {"file-mkdir",
       {"file", "mkdir", "/srv/new", "--host", "own"},
       {{"GET /api/v1/hosts", hosts}, {"POST /api/v1/files/mkdir", ok(R"({"ok":true})")}}},
      {"file-move",
       {"file", "move", "/srv/a", "/srv/b"},
       {{"POST /api/v1/files/move",
         {409, R"({"ok":false,"error":{"code":"conflict","message":"/srv/b exists already"}})"}}}},
      {"file-remove",
       {"file", "remove", "/srv/a"},
       {{"POST /api/v1/files/remove", ok(R"({"ok":true})")}}},
      {"file-remove-offline",
       {"file", "remove", "/srv/a"},
       {{"POST /api/v1/files/remove", offline}}},
      {"help-file", {"file", "--help"}},
  };
}

Cases terminals() {
  const std::string shell =
      R"({"id":"term_1","scope":{"kind":"host_path","hostId":"host_1","cwd":"/srv"},"threadId":null,"environmentId":null,"hostId":"host_1","title":"build\u001b[2J","status":"running","exitCode":null,"closeReason":null,"initialCwd":"/srv","cols":80,"rows":24,"lastUserInputAt":null,"createdAt":1700000000000,"updatedAt":1700000000000})";
  const auto one = ok(R"({"ok":true,"terminal":)" + shell + "}");
  const auto all = ok(R"({"ok":true,"sessions":[)" + shell + "]}");
  const std::string lookup = "GET /api/v1/terminals";
  return {
      {"terminal-list", {"terminal", "list"}, {{lookup, all}}},
      {"terminal-list-empty",
       {"terminal", "list"},
       {{"GET /api/v1/terminals", ok(R"({"ok":true,"sessions":[]})")}}},
      {"terminal-show",
       {"terminal", "show", "term_1"},
       {{lookup, all}, {"GET /api/v1/terminals/term_1", one}}},
      {"terminal-show-unknown", {"terminal", "show", "term_2"}, {{lookup, all}}},
      {"terminal-open",
       {"terminal", "open", "/srv", "--detached"},
       {{"POST /api/v1/terminals", {201, R"({"ok":true,"terminal":)" + shell + "}"}}}},
      {"terminal-attach-help", {"terminal", "attach", "--help"}},
      {"terminal-output",
       {"terminal", "output", "term_1"},
       {{lookup, all},
        {"GET /api/v1/terminals/term_1/output",
         ok(R"({"ok":true,"chunks":[{"seq":0,"dataBase64":"aGkK"}],"nextSeq":1,"truncated":false})")}}},
      {"terminal-send",
       {"terminal", "send", "term_1", "make"},
       {{lookup, all}, {"POST /api/v1/terminals/term_1/input", one}}},
      {"terminal-close",
       {"terminal", "close", "term_1"},
       {{lookup, all},
        {"POST /api/v1/terminals/term_1/close",
         {409,
          R"({"ok":false,"error":{"code":"conflict","message":"more than the shell runs in it"}})"}}}},
      {"terminal-rename",
       {"terminal", "rename", "term_1", "tests"},
       {{lookup, all}, {"POST /api/v1/terminals/term_1/rename", one}}},
      {"terminal-restart",
       {"terminal", "restart", "term_1"},
       {{lookup, all}, {"POST /api/v1/terminals/term_1/restart", one}}},
      {"help-terminal", {"terminal", "--help"}},
  };
}

Cases server() {
  const std::map<std::string, GoldenCase::Answer> running{
      {"GET /readyz",
       ok(R"({"modules":[{"name":"http","state":"ready","detail":""}],"plugins":[]})")},
      {"GET /api/v1/plugins",
       ok(R"({"ok":true,"plugins":[)" + std::string(kBroken) + "," + kTodo + "]}")},
      {"GET /api/v1/system/version", ok(R"({"ok":true,"version":"0.43.0"})")},
      {"GET /api/v1/system/config",
       ok(R"({"ok":true,"version":"0.43.0","timezone":"UTC","safeMode":false})")},
      {"GET /api/v1/hosts",
       ok(R"({"ok":true,"hosts":[{"role":"server","status":"connected","stateMessage":null}]})")}};
  return {
      {"status", {"status"}, running},
      {"overview", {}, running},
      {"up", {"up"}},
      {"help-up", {"up", "--help"}},
      {"open",
       {"open"},
       {{"POST /api/v1/access/links",
         ok(R"({"ok":true,"url":"http://127.0.0.1:4700/api/v1/access/enter?code=0123abcd"})")}}},
      {"docs", {"manual"}, {{"GET /docs/index.html", {200, "<html>"}}}},
      {"docs-page", {"manual", "rpc"}, {{"GET /docs/guide/rpc.md", {200, "# RPC\n\nMethods.\n"}}}},
      {"docs-page-as-listed",
       {"manual", "docs/guide/rpc.md"},
       {{"GET /docs/guide%2Frpc.md", {200, "# RPC\n\nMethods.\n"}}}},
      {"docs-page-unknown", {"manual", "nothing"}},
      {"docs-list", {"manual", "--list"}, {{"GET /llms.txt", {200, "# svc\n"}}}},
      {"docs-absent",
       {"manual"},
       {{"GET /docs/index.html",
         {404,
          R"({"ok":false,"error":{"code":"unknown_asset","message":"the documentation is not installed with this server"}})"}}}},
      {"doctor", {"doctor"}, running},
      {"doctor-without-server", {"doctor"}, {{"GET /api/v1/system/version", {200, "hello"}}}},
      {"version", {"version"}},
      {"completion", {"completion", "bash"}},
      {"server-start", {"server", "start"}},
      {"server-restart", {"server", "restart"}},
      {"server-stop", {"server", "stop"}},
      {"server-logs", {"server", "logs"}},
      {"settings-list", {"settings", "list", "--origin"}},
      {"settings-get", {"settings", "get", "log.level"}},
      {"settings-get-unknown", {"settings", "get", "log.leval"}},
      {"settings-set-wrong", {"settings", "set", "listen.port", "many"}},
      {"settings-unset-unknown", {"settings", "unset", "nothing"}},
      {"settings-reload",
       {"settings", "reload"},
       {{"POST /api/v1/system/config/reload",
         ok(R"({"ok":true,"applied":["log.level"],"needRestart":["listen.port"]})")}}},
      {"backup",
       {"backup", "svc.backup"},
       {{"POST /api/v1/system/backup",
         ok(R"({"ok":true,"backup":{"file":"/work/svc.backup","bytes":12345,"createdAt":1767225600000,"version":"0.43.0","files":4,"plugins":["todo"]}})")}}},
      {"restore",
       {"restore", "svc.backup"},
       {{"POST /api/v1/system/restore",
         {422,
          R"({"ok":false,"error":{"code":"incompatible","message":"svc.backup was written by svc 0.44.0"}})"}}}},
      {"mcp", {"mcp"}},
      {"mcp-help", {"mcp", "--help"}},
      {"mcp-status",
       {"mcp", "status"},
       {{"GET /api/v1/mcp/clients",
         ok(R"({"ok":true,"enabled":true,"clients":[{"name":"claude-code","version":"2.1.318","revision":"2026-07-28","transport":"http","token":"desk","threadId":null,"since":1767225600000,"lastSeenAt":1767225660000,"lastCallAt":null,"calls":12,"streams":1},)"
            R"({"name":"codex","version":null,"revision":"2025-06-18","transport":"stdio","token":null,"threadId":null,"since":1767225600000,"lastSeenAt":1767225600000,"lastCallAt":null,"calls":0,"streams":0}]})")}}},
      {"mcp-status-off",
       {"mcp", "status"},
       {{"GET /api/v1/mcp/clients", ok(R"({"ok":true,"enabled":false,"clients":[]})")}}},
      {"mcp-token-create",
       {"mcp", "token", "create", "desk", "--plugin", "todo", "--plugin", "notes", "--tool", "add"},
       {{"POST /api/v1/mcp/tokens",
         ok(R"({"ok":true,"token":{"id":"mct_1","name":"desk"},"secret":"svc_mcp_abc"})")}}},
      {"mcp-token-list",
       {"mcp", "token", "list"},
       {{"GET /api/v1/mcp/tokens",
         ok(R"({"ok":true,"tokens":[{"id":"mct_1","name":"chat","restricted":false,"plugins":[],"tools":[],"createdAt":1767225600000,"lastUsedAt":null},)"
            R"({"id":"mct_2","name":"desk","restricted":true,"plugins":["todo"],"tools":["add"],"createdAt":1767225600000,"lastUsedAt":1767225660000}]})")}}},
      {"mcp-token-list-empty",
       {"mcp", "token", "list"},
       {{"GET /api/v1/mcp/tokens", ok(R"({"ok":true,"tokens":[]})")}}},
      {"mcp-token-revoke",
       {"mcp", "token", "revoke", "desk"},
       {{"DELETE /api/v1/mcp/tokens/desk",
         ok(R"({"ok":true,"token":{"id":"mct_2","name":"desk"}})")}}},
      {"mcp-token-revoke-unknown",
       {"mcp", "token", "revoke", "nobody"},
       {{"DELETE /api/v1/mcp/tokens/nobody",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"there is no token \"nobody\""}})"}}}},
      {"mcp-setup-list", {"mcp", "setup"}},
      {"mcp-setup-claude", {"mcp", "setup", "claude"}},
      {"mcp-setup-claude-write", {"mcp", "setup", "claude", "--write"}},
      {"mcp-setup-codex-http", {"mcp", "setup", "codex", "--http", "--project"}},
      {"mcp-setup-token",
       {"mcp", "setup", "opencode", "--write", "--token", "desk"},
       {{"POST /api/v1/mcp/tokens",
         ok(R"({"ok":true,"token":{"id":"mct_1","name":"desk"},"secret":"svc_mcp_abc"})")}}},
      {"mcp-setup-generic", {"mcp", "setup", "generic"}},
      {"mcp-setup-unknown", {"mcp", "setup", "emacs"}},
      {"unknown-option", {"plugin", "logs", "todo", "--folow"}},
      {"unknown-subcommand", {"plugin", "instal"}},
      {"help", {"--help"}},
      {"help-install", {"plugin", "install", "--help"}},
  };
}

}  // namespace

const std::vector<GoldenCase>& goldenCases() {
  static const auto kCases = [] {
    Cases all;
    for (const auto& group :
         {lifecycle(), sources(), tools(), machines(), skills(), projects(), projectContentCases(),
          environmentCases(), threadCases(), files(), terminals(), server()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kCases;
}

}  // namespace svc::client
