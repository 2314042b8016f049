#include "answer_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hosts/host_answer.h"

#include "answer_table.h"

namespace svc::hosts {
namespace {

using common::Json;

/// The type of a command that begins with it, as most do.
std::string_view firstMember(std::string_view command) {
  constexpr std::string_view kHead = R"({"type":")";
  const auto end = command.find('"', kHead.size());
  return command.starts_with(kHead) && end != std::string_view::npos
             ? command.substr(kHead.size(), end - kHead.size())
             : std::string_view();
}

std::size_t limitOf(std::string_view command, std::size_t otherwise) {
  const auto parsed = Json::parse(command);
  const auto limit = parsed ? parsed.value()["limit"].asInteger() : 0;
  return limit > 0 ? static_cast<std::size_t>(limit) : otherwise;
}

std::optional<std::string> problemOfOutcome(const AnswerRow& row, const Json& answer,
                                            std::size_t limit) {
  const auto& word = answer["outcome"];
  const auto found =
      std::find_if(row.outcomes.begin(), row.outcomes.end(), [&word](const Outcome& outcome) {
        return word.isString() && outcome.word == word.asString();
      });
  if (found == row.outcomes.end()) {
    std::string words;
    for (const auto& outcome : row.outcomes) {
      words += (words.empty() ? "" : "|") + std::string(outcome.word);
    }
    return fmt::format("outcome: Expected {}", words);
  }
  return problemIn(answer, found->members, limit);
}

std::optional<std::string> problemOfContent(const Json& answer) {
  const auto& content = answer["content"].asString();
  auto bytes = content.size();
  if (answer["contentEncoding"].asString() == "base64") {
    const auto decoded = hostprotocol::decodeBase64(content);
    if (!decoded) {
      return "content: Expected Base64";
    }
    bytes = decoded->size();
  }
  if (bytes > limits::kFileWrite) {
    return fmt::format("content: it has {} bytes (limit fileWrite: {})", bytes, limits::kFileWrite);
  }
  return std::nullopt;
}

}  // namespace

std::string askedType(std::string_view command) {
  if (const auto first = firstMember(command); !first.empty()) {
    return std::string(first);
  }
  const auto members = common::JsonSlices::skim(command);
  return members ? members.value().text("type") : std::string();
}

AskedCommand askedCommand(std::string_view command) {
  AskedCommand asked{.type = askedType(command)};
  const auto* row = answerRow(asked.type);
  if (row != nullptr && row->default_limit > 0) {
    asked.limit = limitOf(command, row->default_limit);
  }
  return asked;
}

bool mayWait(const AskedCommand& command) {
  return !command.type.starts_with("agent.") && !command.type.starts_with("terminal.");
}

Status checkAnswer(const AskedCommand& command, const std::string& answer) {
  const auto parsed = answerObject(answer);
  if (!parsed) {
    return parsed.error();
  }
  const auto* row = answerRow(command.type);
  if (row == nullptr) {
    return {};
  }
  auto problem = row->outcomes.empty() ? problemIn(parsed.value(), row->members, command.limit)
                                       : problemOfOutcome(*row, parsed.value(), command.limit);
  if (!problem && row->has_content) {
    problem = problemOfContent(parsed.value());
  }
  return problem ? Status(Error{errc::kHostError, *std::move(problem)}) : Status();
}

}  // namespace svc::hosts
