#include "threads/interaction_form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (auto part = text.substr(at, end - at); part.find_first_not_of(' ') != std::string::npos) {
      const auto first = part.find_first_not_of(' ');
      out.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    }
    at = end + 1;
  }
  return out;
}

/// The value of an option that is named by its number, its value or its label; null when there is none.
Json optionOf(const Json& question, const std::string& wanted) {
  const auto& options = question["options"].items();
  std::size_t number = 0;
  const auto [stop, failure] =
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (failure == std::errc{} && stop == wanted.data() + wanted.size() && number >= 1 &&
      number <= options.size()) {
    return options[number - 1]["value"];
  }
  for (const char* const member : {"value", "label"}) {
    for (const auto& option : options) {
      if (lowered(option[member].asString()) == lowered(wanted)) {
        return option["value"];
      }
    }
  }
  return {};
}

/// Lines of all diffs that are shown; the window has all.
constexpr std::size_t kDiffLines = 60;

/// The lines of a diff that say something, as far as there is room.
std::string diffLines(std::string_view diff, std::size_t& room) {
  std::string out;
  std::size_t left_out = 0;
  while (!diff.empty()) {
    const auto end = std::min(diff.find('\n'), diff.size());
    const auto line = diff.substr(0, end);
    diff.remove_prefix(std::min(end + 1, diff.size()));
    if (line.starts_with("--- ") || line.starts_with("+++ ")) {
      continue;
    }
    if (room == 0) {
      ++left_out;
      continue;
    }
    --room;
    out += fmt::format("\n    {}", line);
  }
  return left_out == 0 ? out : out + fmt::format("\n    … {} more lines", left_out);
}

std::string filesOf(const Json& changes) {
  std::string out;
  auto room = kDiffLines;
  for (const auto& change : changes.items()) {
    const auto& moved = change["movePath"].asString();
    out += fmt::format("\n  {} {}", change["kind"].asString(), oneLine(change["path"].asString()));
    out += moved.empty() ? "" : " to " + oneLine(moved);
    out += diffLines(change["diff"].asString(), room);
  }
  return out;
}

/// What is to be allowed, as a sentence and what it is about.
std::string subjectOf(const Json& subject, const Json& changes) {
  const std::string_view kind = subject["kind"].asString();
  if (kind == "command") {
    const auto& cwd = subject["cwd"].asString();
    return "The agent wants to run\n  $ " + subject["command"].asString() +
           (cwd.empty() ? "" : "\n  in " + cwd);
  }
  if (kind == "file_change") {
    std::string scope;
    for (const auto& path : subject["writeScope"].items()) {
      scope += (scope.empty() ? " in " : ", ") + path.asString();
    }
    return "The agent wants to change files" + scope + filesOf(changes);
  }
  if (kind == "plan") {
    return "The agent asks whether its plan is right:\n" + subject["plan"].asString();
  }
  if (kind == "permission_grant") {
    const auto& tool = subject["toolName"].asString();
    const auto& permissions = subject["permissions"];
    std::string out = (tool.empty() ? "The agent" : tool) + " asks for permission";
    for (const auto& [member, name] : {std::pair("read", "read"), std::pair("write", "write")}) {
      for (const auto& path : permissions["fileSystem"][member].items()) {
        out += fmt::format("\n  to {} {}", name, path.asString());
      }
    }
    return out + (permissions["network"]["enabled"].asBool() ? "\n  to use the network" : "");
  }
  const auto& title = subject["title"].asString();
  return "The agent wants to use " + (title.empty() ? subject["toolName"].asString() : title);
}

/// What is to be written as an answer: "a whole number from 1 to 5", "a number of at least 0", "text".
std::string expectedText(const Json& expects) {
  if (!expects.isObject()) {
    return "text";
  }
  std::string out = expects["type"].asString() == "integer" ? "a whole number" : "a number";
  const auto& least = expects["minimum"];
  const auto& most = expects["maximum"];
  if (least.isNumber()) {
    out += (most.isNumber() ? " from " : " of at least ") + least.dump();
  }
  if (most.isNumber()) {
    out += (least.isNumber() ? " to " : " of at most ") + most.dump();
  }
  return out;
}

}  // namespace

InteractionForm::InteractionForm(Json interaction) : interaction_(std::move(interaction)) {
  const std::string_view kind = interaction_["payload"]["kind"].asString();
  const bool of_plugin = interaction_["origin"]["kind"].asString() == "plugin";
  kind_ = of_plugin || kind == "plugin" ? Kind::kPlugin
          : kind == "user_question"     ? Kind::kQuestions
                                        : Kind::kApproval;
}

bool InteractionForm::offers(const char* decision) const {
  const auto& all = interaction_["payload"]["availableDecisions"].items();
  return std::any_of(all.begin(), all.end(),
                     [decision](const Json& each) { return each.asString() == decision; });
}

const Json& InteractionForm::question() const {
  static const Json kNone;
  return answers_.size() < questions().size() ? questions()[answers_.size()] : kNone;
}

std::string InteractionForm::description() const {
  const auto& payload = interaction_["payload"];
  if (kind_ == Kind::kPlugin) {
    return fmt::format("The plugin {} asks: {}",
                       oneLine(interaction_["origin"]["pluginId"].asString()),
                       oneLine(payload["title"].asString()));
  }
  if (kind_ == Kind::kApproval) {
    const auto& reason = payload["reason"].asString();
    return manyLines(subjectOf(payload["subject"], changes_) +
                     (reason.empty() ? "" : "\n  because: " + reason));
  }
  return questions().size() == 1 ? std::string("The agent asks")
                                 : fmt::format("The agent asks {} questions", questions().size());
}

std::string InteractionForm::prompt() const {
  if (kind_ == Kind::kPlugin) {
    return "an answer as JSON?";
  }
  if (kind_ == Kind::kApproval) {
    std::string out;
    for (const auto& [decision, text] :
         {std::pair("allow_once", "[y]es"),
          std::pair("allow_for_session", "[a]lways in this session of the agent"),
          std::pair("deny", "[n]o")}) {
      if (offers(decision)) {
        out += (out.empty() ? "" : ", ") + std::string(text);
      }
    }
    return out + "?";
  }
  return question().isNull() ? std::string() : questionPrompt(answers_.size());
}

std::string InteractionForm::prompts() const {
  if (kind_ != Kind::kQuestions) {
    return prompt();
  }
  std::string out;
  for (std::size_t at = 0; at < questions().size(); ++at) {
    out += (at == 0 ? "" : "\n") + questionPrompt(at);
  }
  return out;
}

std::string InteractionForm::questionPrompt(std::size_t at) const {
  const auto& asked = questions()[at];
  std::string out = questions().size() > 1 ? fmt::format("{}. ", at + 1) : std::string();
  out += manyLines(asked["prompt"].asString());
  std::size_t number = 0;
  for (const auto& option : asked["options"].items()) {
    const auto& help = option["description"].asString();
    out += fmt::format("\n  {} {}{}", ++number, oneLine(option["label"].asString()),
                       help.empty() ? "" : " - " + oneLine(help));
  }
  const bool options = number > 0;
  return out +
         (asked["multiSelect"].asBool() ? std::string("\n  numbers, separated by commas")
          : options                     ? std::string("\n  a number")
                                        : "\n  " + expectedText(asked["expects"])) +
         (options && asked["allowFreeText"].asBool() ? ", or text of your own" : "") +
         (asked["optional"].asBool() ? ", or nothing to leave it out" : "") + ":";
}

std::string InteractionForm::example() const {
  if (kind_ == Kind::kPlugin) {
    return "'<JSON>'";
  }
  if (kind_ == Kind::kApproval) {
    std::string out;
    for (const auto& [decision, word] :
         {std::pair("allow_once", "yes"), std::pair("allow_for_session", "always"),
          std::pair("deny", "no")}) {
      if (offers(decision)) {
        out += (out.empty() ? "" : "|") + std::string(word);
      }
    }
    return out;
  }
  std::string out;
  for (std::size_t i = 0; i < questions().size(); ++i) {
    out += (out.empty() ? "" : " ") + std::string("'<answer>'");
  }
  return out;
}

Status InteractionForm::take(const std::string& answer) {
  if (kind_ != Kind::kQuestions && done()) {
    return Error{errc::kInvalidArgument, "it takes one answer, and there are several"};
  }
  if (kind_ == Kind::kApproval) {
    return takeDecision(answer);
  }
  if (kind_ == Kind::kQuestions) {
    return takeAnswer(answer);
  }
  auto value = Json::parse(answer);
  if (!value) {
    return Error{errc::kInvalidArgument,
                 "the answer to a plugin is JSON, such as '\"yes\"' or '{\"count\":2}'"};
  }
  value_ = std::move(value).value();
  return {};
}

Status InteractionForm::takeDecision(const std::string& answer) {
  struct Word {
    const char* decision;
    std::array<const char*, 4> words;
  };
  static constexpr std::array<Word, 3> kWords{{
      {"allow_once", {"y", "yes", "allow", "allow_once"}},
      {"allow_for_session", {"a", "always", "session", "allow_for_session"}},
      {"deny", {"n", "no", "deny", "d"}},
  }};
  const auto typed = lowered(answer);
  for (const auto& [decision, words] : kWords) {
    if (offers(decision) && std::find(words.begin(), words.end(), typed) != words.end()) {
      decision_ = decision;
      return {};
    }
  }
  return Error{errc::kInvalidArgument, "answer with " + example()};
}

Status InteractionForm::takeAnswer(const std::string& answer) {
  const auto& asked = question();
  if (asked.isNull()) {
    return Error{errc::kInvalidArgument, "there are more answers than questions"};
  }
  if (asked["optional"].asBool() && lowered(answer).empty()) {
    answers_.emplace_back();
    return {};
  }
  auto selected = Json::array();
  bool known = !asked["options"].items().empty();
  const auto whole = optionOf(asked, lowered(answer));
  if (!whole.isNull()) {
    selected.push(whole);
  } else {
    const auto wanted = parts(answer);
    known = known && !wanted.empty() && (wanted.size() == 1 || asked["multiSelect"].asBool());
    for (const auto& part : wanted) {
      auto value = optionOf(asked, part);
      known = known && !value.isNull();
      selected.push(std::move(value));
    }
  }
  if (known) {
    answers_.push_back(Json::object().set("selected", std::move(selected)));
    return {};
  }
  if (!asked["allowFreeText"].asBool() || lowered(answer).empty()) {
    return Error{errc::kInvalidArgument, asked["options"].items().empty() ? "the answer is empty"
                                         : asked["multiSelect"].asBool()
                                             ? "answer with numbers, separated by commas"
                                             : "answer with one of the numbers"};
  }
  answers_.push_back(Json::object().set("selected", Json::array()).set("freeText", answer));
  return {};
}

bool InteractionForm::done() const {
  return kind_ == Kind::kApproval ? !decision_.empty()
         : kind_ == Kind::kPlugin ? value_.has_value()
                                  : answers_.size() == questions().size();
}

Json InteractionForm::body() const {
  if (kind_ == Kind::kPlugin) {
    return Json::object().set("value", value_.value_or(Json()));
  }
  auto resolution = Json::object();
  if (kind_ == Kind::kApproval) {
    resolution.set("decision", decision_);
    if (decision_ != "deny") {
      resolution.set("grantedPermissions", nullptr);
    }
  } else {
    auto answers = Json::object();
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (!answers_[i].isNull()) {
        answers.set(questions()[i]["id"].asString(), answers_[i]);
      }
    }
    resolution.set("kind", "user_answer").set("answers", std::move(answers));
  }
  return Json::object().set("resolution", std::move(resolution));
}

}  // namespace svc::client
