#include "intent.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::environments {
namespace {

using common::Json;

Error invalid(std::string_view what) {
  return {errc::kInvalidInput, fmt::format("environment: {}", what)};
}

Status readBranch(const Json& branch, Intent& into) {
  if (branch.isNull()) {
    return {};
  }
  const auto& kind = branch["kind"].asString();
  if (kind == "existing" && !branch["name"].asString().empty()) {
    into.branch = Intent::Branch{.name = branch["name"].asString()};
    return {};
  }
  if (kind == "new" && branch["baseBranch"].isString()) {
    into.branch = Intent::Branch{
        .name = branch["name"].asString(), .is_new = true, .base = branch["baseBranch"].asString()};
    return {};
  }
  return invalid(R"(branch: expected { kind: "existing", name } or { kind: "new", baseBranch })");
}

Status readUnmanaged(const Json& workspace, Intent& into) {
  into.kind = Intent::Kind::kUnmanaged;
  const auto& path = workspace["path"];
  if (!path.isNull() && (!path.isString() || !path.asString().starts_with('/'))) {
    return invalid("path: expected an absolute path or null");
  }
  into.path = path.asString();
  return readBranch(workspace["branch"], into);
}

Status readWorktree(const Json& workspace, Intent& into) {
  into.kind = Intent::Kind::kWorktree;
  const auto& base = workspace["baseBranch"];
  if (base.isNull() || base["kind"].asString() == "default") {
    return {};
  }
  into.base_branch = base.isString() ? base.asString() : base["name"].asString();
  if (into.base_branch.empty()) {
    return invalid(
        R"(baseBranch: expected { kind: "named", name }, { kind: "default" } or a name)");
  }
  return {};
}

Status readWorkspace(const Json& workspace, Intent& into) {
  const auto& type = workspace["type"].asString();
  if (type == "unmanaged") {
    return readUnmanaged(workspace, into);
  }
  if (type == "managed-worktree") {
    return readWorktree(workspace, into);
  }
  if (type == "personal") {
    into.kind = Intent::Kind::kPersonal;
    return {};
  }
  return invalid(R"(workspace.type: expected "unmanaged", "managed-worktree" or "personal")");
}

}  // namespace

Result<Intent> readIntent(const Json& intent) {
  Intent out;
  const auto& type = intent["type"].asString();
  if (type == "project-default") {
    return out;
  }
  if (type == "reuse") {
    out.kind = Intent::Kind::kReuse;
    out.environment_id = intent["environmentId"].asString();
    return out.environment_id.empty() ? Result<Intent>(invalid("environmentId is missing"))
                                      : Result<Intent>(std::move(out));
  }
  if (type != "host") {
    return invalid(R"(type: expected "project-default", "reuse" or "host")");
  }
  out.host_id = intent["hostId"].asString();
  if (auto read = readWorkspace(intent["workspace"], out); !read) {
    return std::move(read).error();
  }
  return out;
}

}  // namespace svc::environments
