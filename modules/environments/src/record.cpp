#include "record.h"

#include <string>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "states.h"

namespace svc::environments {
namespace {

using common::Json;

Json textOr(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

bool isManaged(const storage::EnvironmentRow& row) { return row.kind != "unmanaged"; }

bool isBeingMade(const storage::EnvironmentRow& row) {
  const auto state = stateOf(row.status);
  return state == State::kCreating || state == State::kProvisioning;
}

bool isBeingRemoved(const storage::EnvironmentRow& row) {
  return stateOf(row.status) != State::kDestroyed && phaseOf(row.phase) == Phase::kRemoving;
}

Error noSuchEnvironment(std::string_view environment_id) {
  return {errc::kNotFound, fmt::format("there is no environment \"{}\"; `svc environment list` "
                                       "shows them",
                                       environment_id)};
}

Json toRecord(const storage::EnvironmentRow& row) {
  const auto teardown =
      row.teardown_status.empty()
          ? Json()
          : Json::object().set("status", row.teardown_status).set("attempt", row.teardown_attempt);
  return Json::object()
      .set("id", row.id)
      .set("name", textOr(row.name))
      .set("projectId", row.project_id)
      .set("hostId", row.host_id)
      .set("path", textOr(row.path))
      .set("managed", isManaged(row))
      .set("isGitRepo", row.is_git_repo)
      .set("isWorktree", row.is_worktree)
      .set("workspaceProvisionType", row.kind)
      .set("providerId", nullptr)
      .set("branchName", textOr(row.branch_name))
      .set("baseBranch", textOr(row.base_branch))
      .set("defaultBranch", textOr(row.default_branch))
      .set("mergeBaseBranch", textOr(row.merge_base_branch))
      .set("status", row.status)
      .set("statusDetail", textOr(row.status_detail))
      .set("lifecycle", Json::object()
                            .set("phase", row.phase)
                            .set("retireAt", row.retire_at == 0 ? Json() : Json(row.retire_at))
                            .set("teardown", teardown))
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

Environment toEnvironment(const storage::EnvironmentRow& row) {
  return {.id = row.id,
          .project_id = row.project_id,
          .host_id = row.host_id,
          .kind = row.kind,
          .status = row.status,
          .status_detail = row.status_detail,
          .name = row.name,
          .path = row.path,
          .is_worktree = row.is_worktree,
          .branch_name = row.branch_name,
          .removing = isBeingRemoved(row)};
}

}  // namespace svc::environments
