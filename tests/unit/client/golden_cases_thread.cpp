#include "golden_cases.h"

namespace svc::client {
namespace {

using Cases = std::vector<GoldenCase>;

GoldenCase::Answer fine(std::string body) { return {200, std::move(body)}; }
GoldenCase::Answer gone(const char* message) {
  return {404, R"({"ok":false,"error":{"code":"not_found","message":")" + std::string(message) +
                   R"("}})"};
}

constexpr auto kThread =
    R"({"id":"thr_1","projectId":"proj_1","environmentId":"env_1","providerId":"claude","title":"Fix\u001b[2J the test","titleFallback":"fix it","status":"active",)"
    R"("parentThreadId":null,"sourceThreadId":null,"originPluginId":"nightly","visibility":"visible","hasPendingInteraction":true,"archivedAt":null,)"
    R"("createdAt":1767139200000,"updatedAt":1767225600000,"runtime":{"displayStatus":"active"},"environmentBranchName":"svc/thr_1"})";
constexpr auto kQueued =
    R"({"id":"qm_1","threadId":"thr_1","content":[{"type":"text","text":"and the\u001b[2J docs"}],"sendAt":null,"waitingOn":{"kind":"thread-busy"},"updatedAt":7})";
constexpr auto kQueuedLater =
    R"({"id":"qm_2","threadId":"thr_1","content":[{"type":"localFile","path":"/x"}],"sendAt":1767225600000,"waitingOn":{"kind":"time"},"updatedAt":8})";
constexpr auto kQueuedProvisioning =
    R"({"id":"qm_3","content":[{"type":"text","text":"go on"}],"sendAt":1767225600000,"waitingOn":{"kind":"provisioning"}})";
constexpr auto kQueuedNow =
    R"({"id":"qm_4","content":[{"type":"text","text":"go on"}],"sendAt":null,"waitingOn":null})";
constexpr auto kApproval =
    R"({"id":"int_1","threadId":"thr_1","status":"pending","origin":{"kind":"provider"},"payload":{"kind":"approval","reason":"outside of the sandbox","availableDecisions":["allow_once","deny"],)"
    R"("subject":{"kind":"command","itemId":"i","command":"rm -rf\u001b[2J build","cwd":"/src/shop","actions":[],"sessionGrant":null}}})";
constexpr auto kQuestion =
    R"({"id":"int_2","threadId":"thr_1","status":"pending","origin":{"kind":"provider"},"payload":{"kind":"user_question","questions":[)"
    R"({"id":"q1","prompt":"Which one?","options":[{"value":"a","label":"The first","description":"it is older"},{"value":"b","label":"The second"}],"multiSelect":true,"allowFreeText":true}]}})";

std::string threadRecord() { return R"({"ok":true,"thread":)" + std::string(kThread) + "}"; }
std::string queueOf(const std::string& rows) {
  return R"({"ok":true,"queuedMessages":[)" + rows + "]}";
}

std::string waiting(const std::string& status, const std::string& shown) {
  return R"({"ok":true,"thread":{"id":"thr_2","titleFallback":"fix it","originKind":"fork","status":")" +
         status +
         R"(","providerId":"claude","projectId":"proj_1","createdAt":0,"updatedAt":0,"runtime":{"displayStatus":")" +
         shown + R"(","hostReconnectGraceExpiresAt":)" +
         (shown == "host-reconnecting" ? "1767225630000" : "null") + "}}}";
}

Cases records() {
  const auto list = fine(R"({"ok":true,"threads":[)" + std::string(kThread) + "]}");
  const auto both = queueOf(std::string(kQueued) + "," + kQueuedLater);
  return {
      {"thread-list", {"thread", "list"}, {{"GET /api/v1/threads?archived=false", list}}},
      {"thread-list-none",
       {"thread", "list", "--archived", "--limit", "5"},
       {{"GET /api/v1/threads?archived=true&limit=5", fine(R"({"ok":true,"threads":[]})")}}},
      {"thread-list-page",
       {"thread", "list", "--limit", "1", "--skip", "2"},
       {{"GET /api/v1/threads?archived=false&limit=1&offset=2", list}}},
      {"thread-list-unknown-parent",
       {"thread", "list", "--parent", "thr_9"},
       {{"GET /api/v1/threads/thr_9", gone("there is no thread thr_9; `svc thread list`")}}},
      {"thread-show",
       {"thread", "show", "thr_1"},
       {{"GET /api/v1/threads/thr_1", fine(threadRecord())},
        {"GET /api/v1/threads/thr_1/queued-messages", fine(both)}}},
      {"thread-show-waits-for-room",
       {"thread", "show", "thr_2"},
       {{"GET /api/v1/threads/thr_2", fine(waiting("starting", "provisioning"))},
        {"GET /api/v1/threads/thr_2/queued-messages", fine(queueOf(kQueuedProvisioning))},
        {"GET /api/v1/threads/thr_2/events?types=system%2Fthread-provisioning&order=desc&limit=1",
         fine(
             R"({"ok":true,"events":[{"data":{"status":"active","entries":[{"text":"Creating the worktree","status":"completed"},{"text":"Waiting for another agent of the machine","status":"active"}]}}]})")}}},
      {"thread-show-machine-away",
       {"thread", "show", "thr_2"},
       {{"GET /api/v1/threads/thr_2", fine(waiting("active", "host-reconnecting"))},
        {"GET /api/v1/threads/thr_2/queued-messages", fine(queueOf(""))}}},
      {"thread-show-machine-not-connected",
       {"thread", "show", "thr_2"},
       {{"GET /api/v1/threads/thr_2", fine(waiting("starting", "waiting-for-host"))},
        {"GET /api/v1/threads/thr_2/queued-messages", fine(queueOf(""))}}},
      {"thread-show-failed",
       {"thread", "show", "thr_2"},
       {{"GET /api/v1/threads/thr_2", fine(waiting("error", "error"))},
        {"GET /api/v1/threads/thr_2/queued-messages", fine(queueOf(kQueuedNow))}}},
      {"thread-show-unknown",
       {"thread", "show", "thr_9"},
       {{"GET /api/v1/threads/thr_9", gone("there is no thread thr_9; `svc thread list`")}}},
      {"thread-search",
       {"thread", "search", "the test"},
       {{"GET /api/v1/threads/search?query=the%20test",
         fine(
             R"({"ok":true,"active":{"results":[{"thread":)" + std::string(kThread) +
             R"(,"matches":[{"sourceKind":"title","text":"Fix\u001b[2J the test"}]}],"total":1},"archived":{"results":[],"total":0}})")}}},
      {"thread-search-more",
       {"thread", "search", "test", "--limit", "1"},
       {{"GET /api/v1/threads/search?query=test&limitPerGroup=1",
         fine(R"({"ok":true,"active":{"results":[{"thread":)" + std::string(kThread) +
              R"(,"matches":[]}],"total":4},"archived":{"results":[],"total":0}})")}}},
      {"thread-update",
       {"thread", "update", "thr_1", "--title", "Fix the test", "--model", ""},
       {{"PATCH /api/v1/threads/thr_1", fine(threadRecord())}}},
      {"thread-update-nothing", {"thread", "update", "thr_1"}},
      {"thread-stop",
       {"thread", "stop", "thr_1"},
       {{"POST /api/v1/threads/thr_1/stop", fine(threadRecord())}}},
      {"thread-archive",
       {"thread", "archive", "thr_1"},
       {{"POST /api/v1/threads/thr_1/archive",
         fine(R"({"ok":true,"archivedThreadIds":["thr_1","thr_2"]})")}}},
      {"thread-unarchive",
       {"thread", "unarchive", "thr_1"},
       {{"POST /api/v1/threads/thr_1/unarchive", fine(threadRecord())}}},
      {"thread-delete",
       {"thread", "delete", "thr_1"},
       {{"GET /api/v1/threads/thr_1/child-summary",
         fine(R"({"ok":true,"nonDeletedChildCount":2})")},
        {"DELETE /api/v1/threads/thr_1?childThreadsConfirmed=true", fine(R"({"ok":true})")}}},
      {"thread-fork",
       {"thread", "fork", "thr_1", "try", "another", "way", "--isolated"},
       {{"POST /api/v1/threads/fork",
         {501,
          R"({"ok":false,"error":{"code":"not_supported","message":"this version of the service cannot fork"}})"}}}},
      {"thread-output",
       {"thread", "output", "thr_1"},
       {{"GET /api/v1/threads/thr_1/output",
         fine(R"({"ok":true,"output":"All is\u001b[2J green.\n\nDone."})")}}},
      {"thread-events",
       {"thread", "events", "thr_1", "--type", "turn/completed", "--newest"},
       {{"GET /api/v1/threads/thr_1/events?types=turn%2Fcompleted&order=desc",
         fine(
             R"({"ok":true,"events":[{"id":"ev_1","seq":9,"threadId":"thr_1","type":"turn/completed","scope":{"kind":"turn","turnId":"turn_1"},"data":{"turnId":"turn_1","status":"completed","note":"a text that is so long that it does not fit into what a terminal has for it"},"createdAt":1767225600000}]})")}}},
      {"thread-queue-list",
       {"thread", "queue", "list", "thr_1"},
       {{"GET /api/v1/threads/thr_1/queued-messages", fine(both)}}},
      {"thread-queue-list-failed",
       {"thread", "queue", "list", "thr_1"},
       {{"GET /api/v1/threads/thr_1/queued-messages",
         fine(
             R"({"ok":true,"queuedMessages":[{"id":"qm_1","waitingOn":null,"sendAt":null,"content":[{"type":"text","text":"and the docs"}]}]})")},
        {"GET /api/v1/threads/thr_1",
         fine(R"({"ok":true,"thread":{"id":"thr_1","status":"error"}})")}}},
      {"thread-queue-list-provisioning",
       {"thread", "queue", "list", "thr_1"},
       {{"GET /api/v1/threads/thr_1/queued-messages", fine(queueOf(kQueuedProvisioning))}}},
      {"thread-queue-add",
       {"thread", "queue", "add", "thr_1", "and", "the", "docs"},
       {{"POST /api/v1/threads/thr_1/queued-messages",
         {201, R"({"ok":true,"queuedMessage":{"id":"qm_1"}})"}}}},
      {"thread-queue-edit",
       {"thread", "queue", "edit", "thr_1", "qm_1", "no docs"},
       {{"GET /api/v1/threads/thr_1/queued-messages", fine(both)},
        {"PATCH /api/v1/threads/thr_1/queued-messages/qm_1",
         fine(R"({"ok":true,"queuedMessage":{"id":"qm_1"}})")}}},
      {"thread-queue-delete",
       {"thread", "queue", "delete", "thr_1", "qm_1"},
       {{"DELETE /api/v1/threads/thr_1/queued-messages/qm_1", fine(R"({"ok":true})")}}},
      {"thread-queue-send",
       {"thread", "queue", "send", "thr_1", "qm_1", "--steer"},
       {{"POST /api/v1/threads/thr_1/queued-messages/qm_1/send", fine(R"({"ok":true})")}}},
      {"thread-queue-move",
       {"thread", "queue", "move", "thr_1", "qm_2"},
       {{"GET /api/v1/threads/thr_1/queued-messages", fine(both)},
        {"POST /api/v1/threads/thr_1/queued-messages/qm_2/reorder",
         fine(queueOf(std::string(kQueuedLater) + "," + kQueued))}}},
      {"thread-queue-move-unknown",
       {"thread", "queue", "move", "thr_1", "qm_1", "--behind", "qm_9"},
       {{"GET /api/v1/threads/thr_1/queued-messages", fine(both)}}},
  };
}

Cases turns() {
  const auto interaction = [](const char* record) {
    return fine(R"({"ok":true,"interaction":)" + std::string(record) + "}");
  };
  return {
      {"thread-start",
       {"thread", "start", "fix", "the", "test", "--project", "shop", "--provider", "claude",
        "--worktree", "--base", "dev"},
       {{"GET /api/v1/projects?includePersonal=true",
         fine(R"({"ok":true,"projects":[{"id":"proj_1","name":"shop","sources":[]}]})")},
        {"POST /api/v1/threads", {201, threadRecord()}}}},
      {"thread-start-no-project",
       {"thread", "start", "fix the test"},
       {{"GET /api/v1/hosts",
         fine(R"({"ok":true,"hosts":[{"id":"host_1","name":"home","role":"server"}]})")},
        {"GET /api/v1/projects",
         fine(
             R"({"ok":true,"projects":[{"id":"proj_1","name":"shop","sources":[{"hostId":"host_1","path":"/srv/shop"}]}]})")}}},
      {"thread-start-no-agent",
       {"thread", "start", "fix the test", "--project", "shop"},
       {{"GET /api/v1/projects?includePersonal=true",
         fine(R"({"ok":true,"projects":[{"id":"proj_1","name":"shop","sources":[]}]})")},
        {"POST /api/v1/threads",
         {409,
          R"x({"ok":false,"error":{"code":"conflict","message":"no agent is available; install one, and try again (`GET /api/v1/system/provider-states` says what is missing)"}})x"}}}},
      {"thread-start-unknown-agent",
       {"thread", "start", "fix the test", "--project", "shop", "--provider", "nope"},
       {{"GET /api/v1/projects?includePersonal=true",
         fine(R"({"ok":true,"projects":[{"id":"proj_1","name":"shop","sources":[]}]})")},
        {"POST /api/v1/threads",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"there is no agent \"nope\""}})"}}}},
      {"thread-send",
       {"thread", "send", "thr_1", "and the docs"},
       {{"POST /api/v1/threads/thr_1/send",
         fine(R"({"ok":true,"outcome":"queued","turnRequestId":null,"queuedMessageId":"qm_1"})")}}},
      {"thread-send-machine-away",
       {"thread", "send", "thr_2", "and the docs"},
       {{"POST /api/v1/threads/thr_2/send",
         fine(R"({"ok":true,"outcome":"dispatched","turnRequestId":"req_1"})")},
        {"GET /api/v1/threads/thr_2",
         fine(R"({"ok":true,"thread":{"id":"thr_2","environmentHostId":"host_1"}})")},
        {"GET /api/v1/hosts/host_1",
         fine(R"({"ok":true,"host":{"id":"host_1","name":"box","status":"disconnected"}})")}}},
      {"thread-retry",
       {"thread", "retry", "thr_1"},
       {{"POST /api/v1/threads/thr_1/retry",
         fine(R"({"ok":true,"queuedMessageId":"qm_1","attempt":2})")}}},
      {"thread-follow-unknown",
       {"thread", "follow", "thr_9"},
       {{"GET /api/v1/threads/thr_9/"
         "events?order=desc&types=client/turn/requested&limit=100",
         gone("there is no thread thr_9")}}},
      {"thread-wait-help", {"thread", "wait", "--help"}},
      {"thread-interactions",
       {"thread", "interactions", "thr_1"},
       {{"GET /api/v1/threads/thr_1/interactions",
         fine(R"({"ok":true,"interactions":[)" + std::string(kApproval) + "," + kQuestion +
              "]}")}}},
      {"thread-interactions-none",
       {"thread", "interactions", "thr_1"},
       {{"GET /api/v1/threads/thr_1/interactions", fine(R"({"ok":true,"interactions":[]})")}}},
      {"thread-answer",
       {"thread", "answer", "thr_1", "int_1", "no"},
       {{"GET /api/v1/threads/thr_1/interactions/int_1", interaction(kApproval)},
        {"POST /api/v1/threads/thr_1/interactions/int_1/resolve", interaction(kApproval)}}},
      {"thread-answer-several-words",
       {"thread", "answer", "thr_1", "int_1", "no", "yes"},
       {{"GET /api/v1/threads/thr_1/interactions/int_1", interaction(kApproval)}}},
      {"thread-answer-wrong",
       {"thread", "answer", "thr_1", "int_1", "always"},
       {{"GET /api/v1/threads/thr_1/interactions/int_1", interaction(kApproval)}}},
      {"thread-answer-missing",
       {"thread", "answer", "thr_1", "int_2"},
       {{"GET /api/v1/threads/thr_1/interactions/int_2", interaction(kQuestion)}}},
      {"thread-answer-unknown",
       {"thread", "answer", "thr_1", "nope", "yes"},
       {{"GET /api/v1/threads/thr_1/interactions/nope",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"the thread has no interaction \"nope\"; GET …/interactions lists those that wait"}})"}}}},
      {"thread-answer-cancel",
       {"thread", "answer", "thr_1", "int_1", "--cancel"},
       {{"POST /api/v1/threads/thr_1/interactions/int_1/cancel", interaction(kApproval)}}},
      {"help-thread", {"thread", "--help"}},
      {"help-thread-queue", {"thread", "queue", "--help"}},
  };
}

Cases providers() {
  const std::string agents =
      R"([{"id":"claude","displayName":"Claude\u001b[2J","available":true,"unavailableReason":null,"pluginId":null,"capabilities":{"permissionModes":["accept-edits","auto","full"]}},)"
      R"({"id":"mine","displayName":"Mine","available":false,"unavailableReason":"mine is not installed","pluginId":"my-agent","capabilities":{"permissionModes":[]}}])";
  return {
      {"provider-list",
       {"provider", "list"},
       {{"GET /api/v1/providers", fine(R"({"ok":true,"providers":)" + agents + "}")},
        {"GET /api/v1/system/provider-states",
         fine(
             R"({"ok":true,"states":[{"providerId":"claude","hostId":"host_1","available":true,"unavailableReason":null},{"providerId":"codex","hostId":"host_1","available":false,"unavailableReason":"codex-acp is not on the PATH, install it"}]})")}}},
      {"provider-list-none",
       {"provider", "list"},
       {{"GET /api/v1/providers", fine(R"({"ok":true,"providers":[]})")},
        {"GET /api/v1/system/provider-states",
         fine(
             R"({"ok":true,"states":[{"providerId":"claude","hostId":"host_1","available":false,"unavailableReason":"claude-agent-acp is not on the PATH (npm install -g it) here"}]})")}}},
      {"provider-list-not-yet",
       {"provider", "list"},
       {{"GET /api/v1/providers", fine(R"({"ok":true,"providers":[]})")},
        {"GET /api/v1/system/provider-states", fine(R"({"ok":true,"states":[]})")}}},
      {"provider-models",
       {"provider", "models", "claude"},
       {{"GET /api/v1/providers/models?providerId=claude",
         fine(
             R"({"ok":true,"providers":[],"models":[{"id":"opus","model":"opus","displayName":"Opus","description":"","isDefault":true,"defaultReasoningEffort":"medium",)"
             R"("supportedReasoningEfforts":[{"reasoningEffort":"low","description":""},{"reasoningEffort":"medium","description":""}]}],"selectedOnlyModels":[],)"
             R"("permissionCeiling":"full","modelLoadError":{"providerId":"claude","code":"timeout","message":"it did not answer in time"}})")}}},
      {"provider-models-unknown",
       {"provider", "models", "nope"},
       {{"GET /api/v1/providers/models?providerId=nope",
         {404,
          R"({"ok":false,"error":{"code":"not_found","message":"there is no agent \"nope\" here; GET /providers lists those there are"}})"}}}},
      {"help-provider", {"provider", "--help"}},
  };
}

}  // namespace

std::vector<GoldenCase> threadCases() {
  auto all = records();
  for (const auto& more : {turns(), providers()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace svc::client
