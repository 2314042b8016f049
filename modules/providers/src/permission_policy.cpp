#include "permission_policy.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/agents.h"

namespace svc::providers {
namespace {

using common::Json;

constexpr const char* kAllow = "allow_once";
constexpr const char* kAllowForSession = "allow_for_session";

bool offers(const Json& payload, const char* decision) {
  const auto& decisions = payload["availableDecisions"].items();
  return std::find(decisions.begin(), decisions.end(), Json(decision)) != decisions.end();
}

}  // namespace

PermissionPolicy::PermissionPolicy(std::string approval, std::string cwd)
    : approval_(std::move(approval)), cwd_(std::move(cwd)) {}

bool PermissionPolicy::isInside(const std::string& path) const {
  const auto base = std::filesystem::path(cwd_).lexically_normal();
  const auto whole = (base / path).lexically_normal();
  const auto [end, below] = std::mismatch(base.begin(), base.end(), whole.begin(), whole.end());
  const bool inside = end == base.end() || (std::next(end) == base.end() && end->empty());
  // What is in these is run later: by git, and by the service for the next worktree. No path names the folder itself.
  return inside && below != whole.end() && !below->empty() &&
         std::none_of(below, whole.end(),
                      [](const auto& part) { return part == ".git" || part == ".svc"; });
}

void PermissionPolicy::watch(const Json& item) {
  if (item["type"].asString() != "fileChange") {
    return;
  }
  const auto& files = item["changes"].items();
  const bool inside =
      !files.empty() && std::all_of(files.begin(), files.end(), [this](const Json& file) {
        const auto& moved = file["movePath"].asString();
        return isInside(file["path"].asString()) && (moved.empty() || isInside(moved));
      });
  if (changes_.size() >= limits::kAgentTools) {
    changes_.clear();
  }
  changes_[item["id"].asString()] = inside;
}

std::string PermissionPolicy::decide(const AgentEvent& event) {
  namespace type = hostprotocol::agent_event;
  if (event.type == type::kItemStarted || event.type == type::kItemCompleted) {
    watch(event.data["item"]);
  } else if (event.type == type::kQuestionWithdrawn) {
    questions_.erase(event.data["questionId"].asString());
  }
  if (event.type != type::kQuestionAsked) {
    return {};
  }
  const auto& payload = event.data["payload"];
  const bool once = offers(payload, kAllow);
  if (payload["kind"].asString() != "approval" || (!once && !offers(payload, kAllowForSession))) {
    return {};
  }
  const auto& subject = payload["subject"];
  const auto topic = topicOf(subject);
  if (approval_ == "all" || granted_.contains(topic) ||
      // An agent that knows only "always" would go on beyond what is inside.
      (approval_ == "edits" && once && isChangeInside(subject))) {
    return kAllow;
  }
  // An agent that knows only "always" does not ask for the same again.
  if (once && !topic.empty() && questions_.size() < limits::kAgentQuestions) {
    questions_[event.data["questionId"].asString()] = topic;
  }
  return {};
}

bool PermissionPolicy::isChangeInside(const Json& subject) const {
  const auto change = changes_.find(subject["itemId"].asString());
  return subject["kind"].asString() == "file_change" && subject["writeScope"].isNull() &&
         change != changes_.end() && change->second;
}

std::string PermissionPolicy::topicOf(const Json& subject) const {
  const auto& kind = subject["kind"].asString();
  if (kind == "command") {
    return fmt::format("command {}\n{}", subject["cwd"].asString(), subject["command"].asString());
  }
  if (kind == "tool_use") {
    return "tool " + subject["toolName"].asString();
  }
  if (kind != "file_change") {
    return {};
  }
  return isChangeInside(subject)           ? "changes inside"
         : subject["writeScope"].isArray() ? "changes " + subject["writeScope"].dump()
                                           : std::string();
}

std::vector<std::string> PermissionPolicy::granted() const {
  std::vector<std::string> out;
  for (const auto& [question_id, topic] : questions_) {
    if (granted_.contains(topic)) {
      out.push_back(question_id);
    }
  }
  return out;
}

void PermissionPolicy::answered(const std::string& question_id, const Json& answer) {
  if (auto question = questions_.extract(question_id);
      !question.empty() && answer["decision"].asString() == kAllowForSession) {
    granted_.insert(question.mapped());
  }
}

}  // namespace svc::providers
