#include <algorithm>
#include <array>
#include <utility>

#include "svc/common/codes.h"

#include "input.h"
#include "requests.h"
#include "thread_limits.h"
#include "thread_record.h"
#include "thread_routes.h"

/// Routes that make threads.
namespace svc::threads {

using common::Json;

namespace {

constexpr std::array<std::string_view, 4> kOrigins{"app", "cli", "sdk", "plugin"};
constexpr const char* kPlugin = "plugin";

std::string textIn(common::BodyReader& body, std::string_view key) {
  return body.body()[key].isNull() ? std::string()
                                   : body.optionalString(key).value_or(std::string());
}

/// Who makes the thread: a plugin's own calls say so by themselves.
void readOrigin(common::BodyReader& body, const http::Request& request, SpawnRequest& wanted) {
  wanted.origin = textIn(body, "origin");
  auto& plugin_id = wanted.row.origin_plugin_id;
  plugin_id = textIn(body, "originPluginId");
  if (!request.caller_plugin.empty()) {
    wanted.origin = kPlugin;
    plugin_id = request.caller_plugin;
  }
  if (!wanted.origin.empty() &&
      std::find(kOrigins.begin(), kOrigins.end(), wanted.origin) == kOrigins.end()) {
    body.issue("Expected app, cli, sdk or plugin", {Json("origin")});
  } else if ((wanted.origin == kPlugin) == plugin_id.empty()) {
    body.issue("Required exactly when origin is plugin", {Json("originPluginId")});
  }
}

void readForkOrigin(common::BodyReader& body, storage::ThreadRow& row) {
  row.origin_kind = textIn(body, "originKind");
  if (row.origin_kind.empty()) {
    row.origin_kind = textIn(body, "childOrigin");
  }
  if (!row.origin_kind.empty() && row.origin_kind != "fork") {
    body.issue("Expected \"fork\"", {Json("originKind")});
  }
}

void readVisibility(common::BodyReader& body, storage::ThreadRow& row) {
  const auto visibility = textIn(body, "visibility");
  if (!visibility.empty() && visibility != "visible" && visibility != "hidden") {
    body.issue("Expected visible or hidden", {Json("visibility")});
  }
  row.hidden = visibility == "hidden";
}

void readMetadata(common::BodyReader& body, SpawnRequest& wanted) {
  const auto& metadata = body.body()["pluginMetadata"];
  if (metadata.isNull()) {
    return;
  }
  if (!metadata.isObject() || wanted.row.origin_plugin_id.empty()) {
    body.issue("Expected an object, from a plugin: it is what that plugin keeps with the thread",
               {Json("pluginMetadata")});
  } else if (const auto bytes = metadata.dump().size(); bytes > kThreadMetadata) {
    body.issue("it has " + std::to_string(bytes) + " bytes, the limit threadMetadata is " +
                   std::to_string(kThreadMetadata),
               {Json("pluginMetadata")});
  }
  wanted.metadata = metadata;
}

/// For whom the thread is started; a person when it does not say.
void readBehalf(common::BodyReader& body, Message& first) {
  const auto& behalf = body.body()["startedOnBehalfOf"];
  if (behalf.isNull()) {
    return;
  }
  const Json at("startedOnBehalfOf");
  if (!behalf.isObject()) {
    return body.issue("Expected an object with initiator and senderThreadId", {at});
  }
  first.initiator = behalf["initiator"].asString();
  if (first.initiator != "agent" && first.initiator != "system") {
    body.issue("Expected agent or system", {at, Json("initiator")});
  }
  const auto& sender = behalf["senderThreadId"];
  first.sender_thread_id = sender.asString();
  // An agent works in a thread; the system need not.
  if (first.sender_thread_id.empty() && !(sender.isNull() && first.initiator == "system")) {
    body.issue("Expected the id of a thread", {at, Json("senderThreadId")});
  }
}

/// 0 when there is none.
std::int64_t readSeqEnd(common::BodyReader& body) {
  const auto seq = bodyNumber(body, "sourceSeqEnd");
  if (seq && *seq < 1) {
    body.issue("Expected the number of an event", {Json("sourceSeqEnd")});
  }
  return seq.value_or(0);
}

Result<SpawnRequest> readSpawn(const http::Request& request) {
  auto parsed_body = readBody(request);
  if (!parsed_body) {
    return std::move(parsed_body).error();
  }
  auto& body = parsed_body.value();
  SpawnRequest wanted;
  auto& row = wanted.row;
  row.project_id = body.requiredString("projectId");
  row.provider_id = textIn(body, "providerId");
  row.parent_thread_id = textIn(body, "parentThreadId");
  row.source_thread_id = textIn(body, "sourceThreadId");
  row.section_id = textIn(body, "sectionId");
  readVisibility(body, row);
  if (!body.body()["title"].isNull()) {
    row.title = readName(body, "title", kTitle);
  }
  readOrigin(body, request, wanted);
  readForkOrigin(body, row);
  readMetadata(body, wanted);
  wanted.source_seq_end = readSeqEnd(body);
  wanted.intent = body.body()["environment"];
  if (wanted.intent.isNull()) {
    wanted.intent = Json::object().set("type", "project-default");
  } else if (!wanted.intent["type"].isString()) {
    body.issue("Expected an environment intent with a type", {Json("environment")});
  }
  wanted.first = {.input = readInput(body),
                  .execution = readExecution(body),
                  .sources = readSources(body),
                  .initiator = "user",
                  .source = "spawn",
                  .typed = request.caller_plugin.empty()};
  readBehalf(body, wanted.first);
  if (wanted.first.input.isNull() && body.finish()) {
    body.issue("Required: prompt, or input with at least one block", {Json("input")});
  }
  wanted.send_at = bodyNumber(body, "sendAt").value_or(0);
  if (auto checked = body.finish(); !checked) {
    return std::move(checked).error();
  }
  return wanted;
}

/// In a worktree of its own; with an empty id on the machine of the project.
Json worktreeOn(const Json& host_id) {
  auto intent = Json::object()
                    .set("type", "host")
                    .set("workspace", Json::object().set("type", "managed-worktree"));
  return host_id.isString() ? std::move(intent.set("hostId", host_id)) : intent;
}

/// Where a fork works: where its source does, or in a worktree of its own. Where the source worked may be gone, and its machine with
/// it: then where such a thread would begin.
void placeFork(const storage::ThreadRow& source, bool isolated, SpawnRequest& wanted) {
  const auto environment = parsed(source.environment);
  const auto& before = environment["intent"];
  const auto project_default = Json::object().set("type", "project-default");
  if (isolated) {
    wanted.intent = worktreeOn(environment["hostId"]);
    wanted.or_else = {worktreeOn({})};
  } else if (source.environment_id.empty()) {
    wanted.intent = before.isNull() ? project_default : before;
  } else {
    wanted.intent = Json::object().set("type", "reuse").set("environmentId", source.environment_id);
    if (before.isObject() && before["type"].asString() != "reuse") {
      wanted.or_else.push_back(before);
    }
    wanted.or_else.push_back(before["workspace"]["type"].asString() == "managed-worktree"
                                 ? worktreeOn({})
                                 : project_default);
  }
}

/// A fork of `source`; what its first message has is in the body.
Result<SpawnRequest> readFork(const http::Request& request, const ThreadBook& book) {
  auto parsed_body = readBody(request);
  if (!parsed_body) {
    return std::move(parsed_body).error();
  }
  auto& body = parsed_body.value();
  const auto source_id = body.requiredString("sourceThreadId");
  const auto found =
      source_id.empty() ? Result<storage::ThreadRow>(storage::ThreadRow()) : book.thread(source_id);
  if (!found) {
    return found.error();
  }
  const auto& source = found.value();
  SpawnRequest wanted;
  auto& row = wanted.row;
  row.project_id = source.project_id;
  row.provider_id = source.provider_id;
  row.source_thread_id = source_id;
  row.origin_kind = "fork";
  row.title_fallback =
      source.title.empty() ? source.title_fallback : clipped(source.title, kTitleFallback);
  if (!body.body()["title"].isNull()) {
    row.title = readName(body, "title", kTitle);
  }
  readVisibility(body, row);
  readOrigin(body, request, wanted);
  wanted.source_seq_end = readSeqEnd(body);
  if (wanted.source_seq_end > source.last_seq) {
    body.issue("the source has no such event; its last one is " + std::to_string(source.last_seq),
               {Json("sourceSeqEnd")});
  }
  const auto workspace = textIn(body, "workspace");
  if (!workspace.empty() && workspace != "reuse" && workspace != "isolated") {
    body.issue("Expected reuse or isolated", {Json("workspace")});
  }
  placeFork(source, workspace == "isolated", wanted);
  wanted.seed = readBlocks(body, "agentContextSeed");
  auto execution = parsed(source.execution);
  const auto own = readExecution(body);
  for (const auto& [key, value] : own.members()) {
    execution.set(key, value);
  }
  wanted.first = {.input = readInput(body),
                  .execution = std::move(execution),
                  .source = "spawn",
                  .typed = request.caller_plugin.empty()};
  wanted.idle = wanted.first.input.isNull();
  if (auto checked = body.finish(); !checked) {
    return std::move(checked).error();
  }
  return wanted;
}

}  // namespace

std::vector<ThreadRoutes::Entry> ThreadRoutes::spawnEntries() {
  using Routes = ThreadRoutes;
  return {{"POST", "/api/v1/threads", &Routes::spawn},
          {"POST", "/api/v1/threads/fork", &Routes::fork}};
}

void ThreadRoutes::spawn(const http::ExchangePtr& exchange) {
  auto wanted = readSpawn(exchange->request());
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  const auto& row = wanted.value().row;
  if (!projects_.find(row.project_id)) {
    return exchange->fail({errc::kNotFound, "there is no project \"" + row.project_id +
                                                "\"; `svc project list` shows them"});
  }
  for (const auto& id : {row.parent_thread_id, row.source_thread_id}) {
    if (const auto other = desk_.book.thread(id); !id.empty() && !other) {
      return exchange->fail(other.error());
    }
  }
  if (const auto parent = desk_.book.thread(row.parent_thread_id);
      parent && parent.value().archived_at != 0) {
    return exchange->fail({errc::kConflict,
                           "the parent thread is archived and gets no more threads below it; "
                           "unarchive it first"});
  }
  if (const auto& sender = wanted.value().first.sender_thread_id;
      !sender.empty() && !desk_.book.thread(sender)) {
    return exchange->fail({errc::kInvalidInput,
                           "startedOnBehalfOf.senderThreadId: there is no "
                           "thread \"" +
                               sender + "\""});
  }
  const auto sections = desk_.book.sections();
  if (!row.section_id.empty() &&
      std::none_of(sections.begin(), sections.end(),
                   [&row](const auto& each) { return each.id == row.section_id; })) {
    return exchange->fail({errc::kNotFound, "there is no section \"" + row.section_id +
                                                "\"; GET /api/v1/thread-sections lists them"});
  }
  make(exchange, std::move(wanted).value());
}

void ThreadRoutes::fork(const http::ExchangePtr& exchange) {
  auto wanted = readFork(exchange->request(), desk_.book);
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  make(exchange, std::move(wanted).value());
}

void ThreadRoutes::make(const http::ExchangePtr& exchange, SpawnRequest wanted) {
  if (const auto& plugin_id = wanted.row.origin_plugin_id; !plugin_id.empty()) {
    if (auto checked = desk_.around.check_plugin(plugin_id); !checked) {
      return exchange->fail(checked.error());
    }
  }
  desk_.runner.spawn(std::move(wanted), [exchange](Result<Json> record) {
    answer(*exchange, 201, "thread", std::move(record));
  });
}

}  // namespace svc::threads
