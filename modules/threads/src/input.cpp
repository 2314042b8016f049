#include "input.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/shown_text.h"
#include "svc/common/surrogates.h"

#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {
namespace {

using common::Json;

/// What a block of a type cannot do without.
struct BlockType {
  std::string_view type;
  std::string_view member;
};
constexpr std::array kBlockTypes{BlockType{"text", "text"}, BlockType{"localFile", "path"},
                                 BlockType{"localImage", "path"}, BlockType{"image", "url"}};

std::string problemOf(const Json& block) {
  for (const auto& known : kBlockTypes) {
    if (block["type"].asString() == known.type) {
      return block[known.member].isString()
                 ? std::string()
                 : fmt::format("a {} block needs the string {}", known.type, known.member);
    }
  }
  return "expected a block of type text, localFile, localImage or image";
}

/// A member that takes some words only, of a resource of this kind.
struct Choice {
  std::string_view kind;
  std::string_view member;
  std::array<std::string_view, 3> words;
};
constexpr std::array kChoices{
    Choice{"path", "source", {"workspace", "thread-storage"}},
    Choice{"path", "entryKind", {"file", "directory"}},
    Choice{"command", "source", {"command", "skill"}},
    Choice{"command", "origin", {"builtin", "project", "user"}},
};
constexpr std::array<std::string_view, 6> kResourceKinds{"plugin",  "thread", "project",
                                                         "section", "path",   "command"};

template <class Words>
bool isOneOf(const Json& value, const Words& words) {
  return value.isNull() || (value.isString() && !value.asString().empty() &&
                            std::find(words.begin(), words.end(), value.asString()) != words.end());
}

std::string resourceProblemOf(const Json& resource) {
  if (!isOneOf(resource["kind"], kResourceKinds)) {
    return fmt::format("resource.kind of a mention is one of {}, not {}",
                       fmt::join(kResourceKinds, ", "), resource["kind"].dump());
  }
  for (const auto& [kind, member, words] : kChoices) {
    if (resource["kind"].asString() == kind && !isOneOf(resource[member], words)) {
      const auto* const end = std::find(words.begin(), words.end(), std::string_view());
      return fmt::format("resource.{} of a mention of a {} is one of {}, not {}", member, kind,
                         fmt::join(words.begin(), end, ", "), resource[member].dump());
    }
  }
  return {};
}

/// A block that only the agent was to see must not be shown because of a word that is not known.
std::string visibilityProblemOf(const Json& block) {
  const auto& visibility = block["visibility"];
  return visibility.isNull() || visibility.asString() == "agent-only"
             ? std::string()
             : fmt::format("visibility of a block is \"agent-only\" or left out, not {}",
                           visibility.dump());
}

std::string mentionProblemOf(const Json& block) {
  const auto length = common::utf16Length(block["text"].asString());
  for (const auto& mention : block["mentions"].items()) {
    const auto& start = mention["start"];
    const auto& end = mention["end"];
    if (!start.isInteger() || !end.isInteger() || start.asInteger() < 0 ||
        start.asInteger() > end.asInteger() || end.asInteger() > length) {
      return fmt::format(
          "start and end of a mention are offsets (UTF-16) of its label in the text, which has {}, "
          "these are {} and {}",
          length, start.dump(), end.dump());
    }
    if (auto problem = resourceProblemOf(mention["resource"]); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

/// Whether it is an array of blocks; what else is wrong with them is an issue only.
bool checkBlocks(common::BodyReader& body, const Json& input, const char* member) {
  if (!input.isArray() || input.items().empty()) {
    body.issue("Expected an array of at least one block", {Json(member)});
    return false;
  }
  if (const auto count = input.items().size(); count > kInputBlocks) {
    body.issue(fmt::format("a message may have {} blocks, this one has {}", kInputBlocks, count),
               {Json(member)});
  }
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < input.items().size(); ++at) {
    const auto& block = input.items()[at];
    bytes += block["text"].asString().size();
    auto problem = problemOf(block);
    for (auto* const check : {visibilityProblemOf, mentionProblemOf}) {
      problem = problem.empty() ? check(block) : problem;
    }
    if (!problem.empty()) {
      body.issue(std::move(problem), {Json(member), Json(static_cast<std::int64_t>(at))});
    }
  }
  if (bytes > kInput) {
    body.issue(
        fmt::format("a message may have {} bytes of text, this one has {}; put the rest into "
                    "a file and name that in the message, or attach it",
                    kInput, bytes),
        {Json(member)});
  }
  return true;
}

}  // namespace

Json readBlocks(common::BodyReader& body, const char* member) {
  const auto& blocks = body.body()[member];
  return !blocks.isNull() && checkBlocks(body, blocks, member) ? blocks : Json();
}

Json readSources(common::BodyReader& body) {
  const auto& sources = body.body()["executionInputSources"];
  for (const auto& [key, value] : sources.members()) {
    if (value.asString() != "explicit" && value.asString() != "client-preference") {
      body.issue("Expected explicit or client-preference",
                 {Json("executionInputSources"), Json(key)});
    }
  }
  if (!sources.isNull() && !sources.isObject()) {
    body.issue("Expected an object", {Json("executionInputSources")});
  }
  return sources;
}

Json readInput(common::BodyReader& body) {
  auto input = body.body()["input"];
  const char* member = "input";
  if (!input.isNull() && !body.body()["prompt"].isNull()) {
    body.issue("Give either input or prompt, which is a text alone", {Json("prompt")});
  }
  if (input.isNull() && body.body()["prompt"].isString()) {
    member = "prompt";
    input = Json::array();
    input.push(Json::object().set("type", "text").set("text", body.body()["prompt"]));
  }
  if (input.isNull()) {
    return {};
  }
  if (!checkBlocks(body, input, member)) {
    return {};
  }
  const auto& blocks = input.items();
  if (std::all_of(blocks.begin(), blocks.end(), [](const Json& block) {
        return block["type"].asString() == "text" &&
               block["text"].asString().find_first_not_of(" \t\r\n") == std::string::npos;
      })) {
    body.issue("a message needs a text that is not blank, or a file", {Json(member)});
  }
  return input;
}

void checkReasoningLevel(common::BodyReader& body, std::string_view level) {
  constexpr std::array<std::string_view, 8> kLevels{"none",  "low",       "medium", "high",
                                                    "xhigh", "ultracode", "max",    "ultra"};
  if (!level.empty() && std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    body.issue(fmt::format("Expected {}", fmt::join(kLevels, ", ")), {Json("reasoningLevel")});
  }
}

Json readExecution(common::BodyReader& body) {
  auto execution = Json::object();
  for (const char* member : {"model", "reasoningLevel", "serviceTier", "permissionMode"}) {
    if (body.body()[member].isNull()) {
      continue;
    }
    auto value = body.requiredString(member);
    if (value == "workspace-write") {
      value = "accept-edits";
    }
    const bool is_mode = std::string_view(member) == "permissionMode";
    if (is_mode && value != "accept-edits" && value != "auto" && value != "full") {
      body.issue("Expected accept-edits, auto or full", {Json(member)});
    }
    if (std::string_view(member) == "reasoningLevel") {
      checkReasoningLevel(body, value);
    }
    if (std::string_view(member) == "serviceTier" && value != "default" && value != "fast") {
      body.issue("Expected default or fast", {Json(member)});
    }
    execution.set(member, std::move(value));
  }
  return execution;
}

std::string titleFallbackOf(const Json& input) {
  const auto text = textOf(input);
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) {
    return "New thread";
  }
  const auto line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  return clipped(common::shownOnOneLine(line), kTitleFallback);
}

}  // namespace svc::threads
