#include "file_changes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "svc/hostprotocol/agent_limits.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "line_diff.h"
#include "tool_item.h"

namespace svc::agentd {
namespace {

using common::Json;

/// All diffs of one item, and the lines of them that are compared: meanwhile no other agent is heard.
constexpr std::size_t kDiffs = 4 * limits::kAgentItemText;
constexpr std::size_t kComparedLines = 16'000;

/// What agents call the file of a tool, and where one is moved to.
constexpr std::array<std::string_view, 4> kPathNames{"file_path", "filePath", "absolute_path",
                                                     "path"};
constexpr std::array<std::string_view, 4> kDestinationNames{"destination", "newPath", "new_path",
                                                            "to"};

bool isDiff(const Json& content) { return content["type"].asString() == "diff"; }

/// Of each file the one that shows more: the last one, or the one that a person was asked about.
std::vector<Json> diffsOf(const ToolCall& call) {
  std::vector<Json> diffs = call.asked_diffs.items();
  for (const auto& each : call.content.items()) {
    if (!isDiff(each)) {
      continue;
    }
    const auto asked = std::find_if(diffs.begin(), diffs.end(), [&each](const Json& diff) {
      return diff["path"] == each["path"];
    });
    if (asked == diffs.end() && diffs.size() < limits::kAgentChanges) {
      diffs.push_back(each);
    } else if (asked == diffs.end()) {
      continue;
    } else if (each["oldText"].asString().size() >= (*asked)["oldText"].asString().size()) {
      *asked = each;
    }
  }
  return diffs;
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
  for (const auto& path : paths) {
    auto change = Json::object()
                      .set("path", headOf(path, limits::kAgentPath))
                      .set("kind", call.kind == "delete" ? "delete" : "update");
    if (!moved_to.empty()) {
      change.set("movePath", headOf(moved_to, limits::kAgentPath));
    }
    changes.push(std::move(change));
  }
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

}  // namespace

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

std::string pathOf(const ToolCall& call) {
  auto path = firstText(call.raw_input, kPathNames);
  if (path.empty() && !call.locations.items().empty()) {
    path = call.locations.items().front()["path"].asString();
  }
  return path;
}

bool hasDiff(const ToolCall& call) {
  const auto& content = call.content.items();
  return !call.asked_diffs.items().empty() || std::any_of(content.begin(), content.end(), isDiff);
}

Json changesOf(const ToolCall& call, const DiffSeen& seen) {
  auto changes = Json::array();
  std::size_t room = kDiffs;
  std::size_t compared = kComparedLines;
  const auto diffs = diffsOf(call);
  for (const auto& each : diffs) {
    const auto path = headOf(each["path"].asString(), limits::kAgentPath);
    // Some have an empty text for a file that is not there.
    const bool is_new = each["oldText"].asString().empty();
    const bool is_gone = call.kind == "delete";
    auto change = Json::object()
                      .set("path", path)
                      .set("kind", is_gone  ? "delete"
                                   : is_new ? "add"
                                            : "update");
    const BoundedText diff(unifiedDiff(
        path, is_new ? std::nullopt : std::optional<std::string>(each["oldText"].asString()),
        each["newText"].asString(), compared));
    if (auto text = diff.text(); text.size() <= room) {
      room -= text.size();
      change.set("diff", std::move(text));
      seen(changes.items().size(), diff);
    }
    changes.push(std::move(change));
  }
  if (diffs.empty()) {
    addPlaces(changes, call);
  }
  return changes;
}

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

}  // namespace svc::agentd
