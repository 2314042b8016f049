#include "tool_item.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "svc/hostprotocol/agent_limits.h"

#include "bounded_text.h"
#include "line_diff.h"
#include "write_scope.h"

namespace svc::agentd {
namespace {

using common::Json;

/// All diffs of one item.
constexpr std::size_t kDiffs = 4 * limits::kAgentItemText;

/// What agents call the file of a tool, and where one is moved to.
constexpr std::array<std::string_view, 4> kPathNames{"file_path", "filePath", "absolute_path",
                                                     "path"};
constexpr std::array<std::string_view, 4> kDestinationNames{"destination", "newPath", "new_path",
                                                            "to"};

std::string_view statusOf(std::string_view status) {
  return status == "completed" ? item_status::kCompleted
         : status == "failed"  ? item_status::kFailed
                               : item_status::kPending;
}

std::string firstText(const Json& object, std::span<const std::string_view> names) {
  for (const auto name : names) {
    if (const auto& text = object[name].asString(); !text.empty()) {
      return text;
    }
  }
  return {};
}

std::string firstText(const Json& object, std::initializer_list<std::string_view> names) {
  return firstText(object, std::span(names.begin(), names.size()));
}

/// Agents write "`ls -l`".
std::string withoutTicks(std::string_view text) {
  if (text.size() > 2 && text.front() == '`' && text.back() == '`') {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

std::string commandOf(const ToolCall& call) {
  const auto& command = call.raw_input["command"];
  if (command.isArray()) {
    std::string words;
    for (const auto& word : command.items()) {
      words += (words.empty() ? "" : " ") + word.asString();
    }
    return clipped(words);
  }
  return clipped(command.asString().empty() ? withoutTicks(call.title) : command.asString());
}

std::string pathOf(const ToolCall& call) {
  auto path = firstText(call.raw_input, kPathNames);
  if (path.empty() && !call.locations.items().empty()) {
    path = call.locations.items().front()["path"].asString();
  }
  return path;
}

bool hasDiff(const ToolCall& call) {
  const auto& content = call.content.items();
  return std::any_of(content.begin(), content.end(),
                     [](const Json& each) { return each["type"].asString() == "diff"; });
}

/// Without diffs: the files that it names, and where one is moved to.
void addPlaces(Json& changes, const ToolCall& call) {
  std::vector<std::string> paths{pathOf(call)};
  for (const auto& each : call.locations.items()) {
    const auto& path = each["path"].asString();
    if (!path.empty() && paths.size() < limits::kAgentChanges &&
        std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(path);
    }
  }
  std::string moved_to;
  if (call.kind == "move") {
    moved_to = firstText(call.raw_input, kDestinationNames);
    if (moved_to.empty() && paths.size() > 1) {
      moved_to = paths[1];
    }
    paths.resize(1);
  }
  for (auto& path : paths) {
    auto change = Json::object()
                      .set("path", std::move(path))
                      .set("kind", call.kind == "delete" ? "delete" : "update");
    if (!moved_to.empty()) {
      change.set("movePath", moved_to);
    }
    changes.push(std::move(change));
  }
}

Json changesOf(const ToolCall& call) {
  auto changes = Json::array();
  std::size_t room = kDiffs;
  std::size_t count = 0;
  for (const auto& each : call.content.items()) {
    if (each["type"].asString() != "diff" || ++count > limits::kAgentChanges) {
      continue;
    }
    const auto& path = each["path"].asString();
    const bool is_new = !each["oldText"].isString();
    const bool is_gone = call.kind == "delete";
    auto change = Json::object()
                      .set("path", path)
                      .set("kind", is_gone  ? "delete"
                                   : is_new ? "add"
                                            : "update");
    auto diff = clipped(unifiedDiff(
        path, is_new ? std::nullopt : std::optional<std::string>(each["oldText"].asString()),
        each["newText"].asString()));
    if (diff.size() <= room) {
      room -= diff.size();
      change.set("diff", std::move(diff));
    }
    changes.push(std::move(change));
  }
  if (count == 0) {
    addPlaces(changes, call);
  }
  return changes;
}

/// Paths by their usual names, also in lists of changes.
void takeNamedPaths(const Json& input, int levels, const std::function<void(const Json&)>& take) {
  for (const auto* names : {&kPathNames, &kDestinationNames}) {
    for (const auto name : *names) {
      take(input[name]);
    }
  }
  if (levels == 0) {
    return;
  }
  for (const auto& [name, value] : input.members()) {
    takeNamedPaths(value, levels - 1, take);
  }
  for (const auto& value : input.items()) {
    takeNamedPaths(value, levels - 1, take);
  }
}

/// Every path that the call names, wherever it does.
std::vector<std::string> pathsOf(const ToolCall& call) {
  std::vector<std::string> paths;
  const auto take = [&paths](const Json& path) {
    if (path.isString() && !path.asString().empty()) {
      paths.push_back(path.asString());
    }
  };
  for (const auto& each : call.content.items()) {
    take(each["path"]);
  }
  for (const auto& each : call.locations.items()) {
    take(each["path"]);
  }
  constexpr int kLevels = 3;
  takeNamedPaths(call.raw_input, kLevels, take);
  for (const auto& [path, change] : call.raw_input["changes"].members()) {
    take(path);
    take(change["move_path"]);
  }
  return paths;
}

struct ServerTool {
  std::string server;
  std::string tool;
};

/// mcp__SERVER__TOOL
std::optional<ServerTool> prefixedTool(std::string_view name) {
  constexpr std::string_view kPrefix = "mcp__";
  const auto end = name.starts_with(kPrefix) ? name.find("__", kPrefix.size()) : name.npos;
  return end == name.npos ? std::nullopt
                          : std::optional(ServerTool{
                                std::string(name.substr(kPrefix.size(), end - kPrefix.size())),
                                std::string(name.substr(end + 2))});
}

/// The tool of an MCP server that is called, whatever kind of call the agent makes of it: by its name, with server and tool among the
/// arguments, or through a tool of the agent that calls others.
std::optional<ServerTool> serverTool(const ToolCall& call) {
  const auto& input = call.raw_input;
  if (auto named = prefixedTool(call.name.empty() ? call.title : call.name)) {
    return named;
  }
  const auto& server = input["server"].asString();
  const auto& tool = input["tool"].asString();
  return server.empty() || tool.empty() ? prefixedTool(input["name"].asString())
                                        : std::optional(ServerTool{server, tool});
}

std::string typeOf(const ToolCall& call) {
  if (serverTool(call)) {
    return "toolCall";
  }
  if (call.kind == "execute") {
    return "commandExecution";
  }
  if ((call.kind == "edit" || call.kind == "delete" || call.kind == "move") &&
      (hasDiff(call) || !pathOf(call).empty())) {
    return "fileChange";
  }
  if (call.kind == "search" && !call.raw_input["query"].asString().empty()) {
    return "webSearch";
  }
  if (call.kind == "fetch" && !call.raw_input["url"].asString().empty()) {
    return "webFetch";
  }
  return "toolCall";
}

/// As it is, or the clipped text of what is too large.
Json boundedJson(const Json& value) {
  if (value.isString()) {
    return clipped(value.asString());
  }
  auto text = value.dump();
  return text.size() <= limits::kAgentItemText ? value : Json(clipped(text));
}

void addBlock(BoundedText& text, const Json& block) {
  const auto& part = block["type"].asString() == "resource" ? block["resource"]["text"].asString()
                                                            : block["text"].asString();
  if (!part.empty()) {
    text.append((text.empty() ? "" : "\n") + part);
  }
}

/// What an agent shows of it, else what the tool of an MCP server has answered.
std::string contentText(const ToolCall& call) {
  BoundedText text;
  for (const auto& each : call.content.items()) {
    if (each["type"].asString() == "content") {
      addBlock(text, each["content"]);
    }
  }
  if (text.empty() && serverTool(call)) {
    for (const auto& block : call.raw_output["result"]["content"].items()) {
      addBlock(text, block);
    }
  }
  return text.text();
}

const Json& argumentsOf(const ToolCall& call) {
  const auto& inner = call.raw_input["arguments"];
  return inner.isObject() && !firstText(call.raw_input, {"tool", "name"}).empty() ? inner
                                                                                  : call.raw_input;
}

void addResult(Json& item, const ToolCall& call) {
  auto output = toolOutput(call);
  if (call.status == item_status::kFailed) {
    item.set("error", output.empty() ? "the tool failed" : std::move(output));
  } else if (!output.empty()) {
    item.set("result", std::move(output));
  } else if (!call.raw_output.isNull()) {
    item.set("result", boundedJson(call.raw_output));
  }
}

}  // namespace

void ToolCall::apply(const Json& update) {
  const auto text = [&update](std::string& into, std::string_view key) {
    if (const auto* value = update.find(key); value != nullptr && value->isString()) {
      into = value->asString();
    }
  };
  const auto json = [&update](Json& into, std::string_view key) {
    if (const auto* value = update.find(key); value != nullptr && !value->isNull()) {
      into = *value;
    }
  };
  text(title, "title");
  text(name, "name");
  text(kind, "kind");
  json(content, "content");
  json(locations, "locations");
  json(raw_input, "rawInput");
  json(raw_output, "rawOutput");
  if (update["status"].isString()) {
    status = statusOf(update["status"].asString());
  }
}

Json toolItem(const ToolCall& call, const std::string& cwd) {
  const auto type = typeOf(call);
  auto item = Json::object().set("id", call.item_id).set("type", type);
  const auto& input = call.raw_input;
  const auto approval = call.approval.empty() ? Json() : Json(call.approval);
  if (type == "commandExecution") {
    auto where = firstText(input, {"cwd", "workdir", "directory"});
    item.set("command", commandOf(call)).set("cwd", where.empty() ? cwd : where);
    item.set("status", call.status).set("approvalStatus", approval);
  } else if (type == "fileChange") {
    item.set("changes", changesOf(call)).set("status", call.status).set("approvalStatus", approval);
  } else if (type == "webSearch") {
    item.set("queries", Json::Array{Json(clipped(input["query"].asString()))})
        .set("resultText", nullptr);
  } else if (type == "webFetch") {
    const auto optional = [&input](std::string_view key) {
      return input[key].isString() ? Json(clipped(input[key].asString())) : Json();
    };
    item.set("url", input["url"].asString()).set("prompt", optional("prompt"));
    item.set("pattern", optional("pattern")).set("resultText", nullptr);
  } else {
    if (const auto of_server = serverTool(call)) {
      item.set("tool", of_server->tool).set("server", of_server->server);
    } else {
      const auto& said = call.name.empty() ? call.title : call.name;
      item.set("tool", said.empty() ? "tool" : said);
    }
    if (!argumentsOf(call).isNull()) {
      item.set("arguments", boundedJson(argumentsOf(call)));
    }
    item.set("status", call.status);
  }
  return item;
}

std::string toolOutput(const ToolCall& call) {
  if (auto text = contentText(call); !text.empty()) {
    return text;
  }
  if (call.raw_output.isString()) {
    return clipped(call.raw_output.asString());
  }
  return clipped(firstText(call.raw_output,
                           {"formatted_output", "aggregated_output", "output", "stdout", "error"}));
}

Json wholeToolItem(const ToolCall& call, const std::string& cwd) {
  auto item = toolItem(call, cwd);
  const auto type = item["type"].asString();  // a copy: what is added below moves the members
  if (type == "commandExecution") {
    if (auto output = toolOutput(call); !output.empty()) {
      item.set("aggregatedOutput", std::move(output));
    }
    for (const auto* key : {"exitCode", "exit_code"}) {
      if (call.raw_output[key].isInteger()) {
        item.set("exitCode", call.raw_output[key]);
        break;
      }
    }
  } else if (type == "webSearch" || type == "webFetch") {
    if (auto output = toolOutput(call); !output.empty()) {
      item.set("resultText", std::move(output));
    }
  } else if (type == "toolCall" && call.ended()) {
    addResult(item, call);
  }
  if ((type == "commandExecution" || type == "toolCall") && call.ended_ms > 0) {
    item.set("durationMs", std::max<std::int64_t>(call.ended_ms - call.started_ms, 0));
  }
  return item;
}

Json approvalSubject(const ToolCall& call, const std::string& cwd) {
  const auto item = toolItem(call, cwd);
  const auto& type = item["type"].asString();
  auto subject = Json::object();
  if (type == "commandExecution") {
    return subject.set("kind", "command")
        .set("itemId", call.item_id)
        .set("command", item["command"])
        .set("cwd", item["cwd"])
        .set("actions", Json::array())
        .set("sessionGrant", nullptr);
  }
  if (type == "fileChange") {
    return subject.set("kind", "file_change")
        .set("itemId", call.item_id)
        .set("writeScope",
             writeScope(
                 pathsOf(call), cwd,
                 call.kind == "delete" || call.kind == "move" ? Change::kRemoves : Change::kWrites))
        .set("sessionGrant", nullptr);
  }
  const auto of_server = serverTool(call);
  return subject.set("kind", "tool_use")
      .set("itemId", call.item_id)
      .set("toolName", type == "toolCall" ? item["tool"] : Json(type))
      .set("title", clipped(of_server ? of_server->server + ": " + of_server->tool : call.title));
}

}  // namespace svc::agentd
