#include "pull_request.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/base/stop_event.h"
#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "branches.h"

namespace svc::worktrees {
namespace {

using common::Json;

constexpr std::size_t kAnswer = 1024UL * 1024;

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (text == word) {
      return true;
    }
  }
  return false;
}

struct Checks {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t pending = 0;
  [[nodiscard]] std::int64_t total() const { return passed + failed + pending; }
  [[nodiscard]] const char* state() const {
    return total() == 0  ? "no_checks"
           : failed > 0  ? "failing"
           : pending > 0 ? "pending"
                         : "passing";
  }
};

/// Runs of actions have status and conclusion, statuses of commits a state.
Checks checksOf(const Json& rollup) {
  Checks checks;
  for (const auto& check : rollup.items()) {
    const auto& state = check["state"].asString();
    const auto& conclusion = check["conclusion"].asString();
    const auto& last = state.empty() ? conclusion : state;
    if (isOneOf(last, {"SUCCESS", "NEUTRAL", "SKIPPED"})) {
      ++checks.passed;
    } else if (isOneOf(last, {"FAILURE", "ERROR", "CANCELLED", "TIMED_OUT", "ACTION_REQUIRED",
                              "STARTUP_FAILURE"})) {
      ++checks.failed;
    } else {
      ++checks.pending;
    }
  }
  return checks;
}

const char* stateOfRequest(const Json& seen) {
  const auto& state = seen["state"].asString();
  if (state == "MERGED") {
    return "merged";
  }
  if (state == "CLOSED") {
    return "closed";
  }
  return seen["isDraft"].asBool() ? "draft" : "open";
}

const char* reviewState(const Json& seen) {
  const auto& decision = seen["reviewDecision"].asString();
  if (decision == "APPROVED") {
    return "approved";
  }
  if (decision == "CHANGES_REQUESTED") {
    return "changes_requested";
  }
  if (!seen["reviewRequests"].items().empty()) {
    return "review_requested";
  }
  return decision == "REVIEW_REQUIRED" ? "review_required" : "none";
}

const char* mergeState(const Json& seen) {
  const auto& mergeable = seen["mergeable"].asString();
  const auto& status = seen["mergeStateStatus"].asString();
  if (seen["isDraft"].asBool() || status == "DRAFT") {
    return "draft";
  }
  if (mergeable == "CONFLICTING" || status == "DIRTY") {
    return "conflicts";
  }
  if (status == "BLOCKED" || status == "BEHIND") {
    return "blocked";
  }
  return mergeable == "MERGEABLE" ? "mergeable" : "unknown";
}

/// What somebody should look at first.
const char* attentionOf(std::string_view state, const Checks& checks, std::string_view review,
                        std::string_view merge) {
  if (state == "merged") {
    return "merged";
  }
  if (state == "closed") {
    return "closed";
  }
  if (merge == "conflicts") {
    return "conflicts";
  }
  if (checks.failed > 0) {
    return "checks_failed";
  }
  if (review == "changes_requested") {
    return "changes_requested";
  }
  if (state == "draft") {
    return "draft";
  }
  if (checks.pending > 0) {
    return "checks_pending";
  }
  if (review == "review_requested" || review == "review_required") {
    return "review_requested";
  }
  return merge == "blocked" ? "blocked" : merge == "mergeable" ? "ready_to_merge" : "none";
}

Json nonEmpty(const Json& text) { return text.asString().empty() ? Json() : Json(text.asString()); }

Json absent() { return Json::object().set("outcome", "absent"); }

}  // namespace

const char* pullRequestFields() {
  return "number,title,url,state,isDraft,headRefName,baseRefName,updatedAt,statusCheckRollup,"
         "reviewDecision,reviewRequests,mergeable,mergeStateStatus";
}

Json noPullRequest(const std::string& message) {
  return Json::object().set("outcome", "unavailable").set("message", message);
}

Json pullRequestRecord(const Json& seen) {
  const auto checks = checksOf(seen["statusCheckRollup"]);
  const auto* state = stateOfRequest(seen);
  const auto* review = reviewState(seen);
  const auto* merge = mergeState(seen);
  const auto& mergeable = seen["mergeable"].asString();
  return Json::object()
      .set("number", seen["number"].asInteger())
      .set("title", seen["title"].asString())
      .set("url", seen["url"].asString())
      .set("state", state)
      .set("attention", attentionOf(state, checks, review, merge))
      .set("headRefName", seen["headRefName"].asString())
      .set("baseRefName", seen["baseRefName"].asString())
      .set("updatedAt", seen["updatedAt"].asString())
      .set("checks", Json::object()
                         .set("state", checks.state())
                         .set("totalCount", checks.total())
                         .set("passedCount", checks.passed)
                         .set("failedCount", checks.failed)
                         .set("pendingCount", checks.pending))
      .set("review", Json::object()
                         .set("state", review)
                         .set("reviewRequestCount",
                              static_cast<std::int64_t>(seen["reviewRequests"].items().size())))
      .set("mergeability", Json::object()
                               .set("state", merge)
                               .set("mergeable", mergeable == "MERGEABLE"     ? Json(true)
                                                 : mergeable == "CONFLICTING" ? Json(false)
                                                                              : Json())
                               .set("mergeStateStatus", nonEmpty(seen["mergeStateStatus"])));
}

Json pullRequestOf(const Git& git, const base::Environment& environment,
                   const std::stop_token& stop) {
  const auto branch = currentBranch(git);
  if (branch.empty() || remoteUrl(git).empty()) {
    return absent();
  }
  const base::StopEvent stopped(stop);
  base::RunOptions run;
  // gh asks git itself, which must run as little of the repository as ours; it is told the branch, so that it need not look for it.
  run.program.argv = {"gh", "pr", "view", branch, "--json", pullRequestFields()};
  if (branch.front() == '-') {
    return absent();
  }
  run.program.environment = environment;
  (*run.program.environment)["GH_PROMPT_DISABLED"] = "1";
  (*run.program.environment)["GH_NO_UPDATE_NOTIFIER"] = "1";
  (*run.program.environment)["GH_PAGER"] = "cat";
  (*run.program.environment)["GIT_CONFIG_COUNT"] = "2";
  (*run.program.environment)["GIT_CONFIG_KEY_0"] = "core.fsmonitor";
  (*run.program.environment)["GIT_CONFIG_VALUE_0"] = "false";
  (*run.program.environment)["GIT_CONFIG_KEY_1"] = "core.hooksPath";
  (*run.program.environment)["GIT_CONFIG_VALUE_1"] = "/dev/null";
  run.program.directory = git.folder();
  run.program.group = base::ProcessGroup::kSession;
  run.output_limit = kAnswer;
  run.time_limit = limits::kGit;
  run.interrupt = stopped.descriptor();
  const auto outcome = base::run(run);
  if (!outcome) {
    return noPullRequest(outcome.error().code == errc::kNotFound
                             ? "the program gh is not installed on this machine; pull requests "
                               "are read with it"
                             : outcome.error().message);
  }
  const auto& end = outcome.value();
  if (end.end != base::RunEnd::kExited) {
    return noPullRequest("gh did not answer in time");
  }
  if (!end.status.ok()) {
    const auto words = std::string(base::trimmed(end.err));
    return words.find("no pull requests found") != std::string::npos ? absent()
                                                                     : noPullRequest(words);
  }
  const auto seen = Json::parse(end.out);
  if (!seen) {
    return noPullRequest("gh has answered with something else than JSON");
  }
  return Json::object()
      .set("outcome", "available")
      .set("pullRequest", pullRequestRecord(seen.value()));
}

}  // namespace svc::worktrees
