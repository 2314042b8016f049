#include "git_commands.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/protocol.h"

#include "branches.h"
#include "commits.h"
#include "diffs.h"
#include "file_lists.h"
#include "pull_request.h"

namespace svc::worktrees {
namespace {

using common::BodyReader;
using common::Json;

/// What keeps an answer from being there is an answer of its own.
Result<std::string> available(const std::string& path, const char* member, Result<Json> found) {
  if (found) {
    auto answer = Json::object().set("outcome", "available");
    if (member != nullptr) {
      answer.set(member, std::move(found).value());
    } else {
      for (const auto& [key, value] : found.value().members()) {
        answer.set(key, value);
      }
    }
    return answer.dump();
  }
  const auto& error = found.error();
  const char* code = error.code == errc::kNotFound    ? "path_not_found"
                     : error.code == kNotRepository   ? "not_git_repo"
                     : error.code == errc::kForbidden ? "permission_denied"
                                                      : "unknown";
  if (error.code == errc::kInvalidInput || error.code == errc::kAborted) {
    return error;
  }
  return Json::object()
      .set("outcome", "unavailable")
      .set(
          "failure",
          Json::object().set("code", code).set("workspacePath", path).set("message", error.message))
      .dump();
}

Result<std::string> text(Result<Json> json) {
  return json ? Result<std::string>(json.value().dump()) : std::move(json).error();
}

Result<BranchQuery> readQuery(BodyReader& command) {
  BranchQuery query{.query = command.optionalString("query").value_or(std::string{}),
                    .selected = command.optionalString("selectedBranch")};
  if (const auto* limit = command.body().find("limit")) {
    if (!limit->isInteger() || limit->asInteger() < 1 ||
        limit->asInteger() > static_cast<std::int64_t>(limits::kBranches)) {
      command.issue(
          fmt::format("Expected a number from 1 to {} (limit branches)", limits::kBranches),
          {Json("limit")});
    }
    query.limit = static_cast<std::size_t>(limit->asInteger());
  }
  if (auto status = command.finish(); !status) {
    return std::move(status).error();
  }
  return query;
}

}  // namespace

Result<Handle> BusyFolders::take(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto key = std::filesystem::weakly_canonical(folder, ignored).string();
  const std::scoped_lock lock(mutex_);
  if (!busy_.insert(key).second) {
    return Error{errc::kConflict,
                 fmt::format("something else is being changed in {}; try again", folder.string())};
  }
  return Handle([this, key] {
    const std::scoped_lock undo(mutex_);
    busy_.erase(key);
  });
}

base::Environment GitCommands::environment() { return gitEnvironment(own_, login_path_.get()); }

Result<Git> GitCommands::open(BodyReader& command, const std::stop_token& stop) {
  const auto path = command.requiredString("path");
  if (command.body()["path"].isString() && !path.starts_with('/')) {
    command.issue("Expected an absolute path", {Json("path")});
  }
  if (auto status = command.finish(); !status) {
    return std::move(status).error();
  }
  if (auto status = check(path); !status) {
    return std::move(status).error();
  }
  return Git::open(path, environment(), stop);
}

Status GitCommands::check(const std::filesystem::path& folder) const {
  if (bounds_.allows(folder)) {
    return {};
  }
  return Error{errc::kForbidden,
               fmt::format("{} is outside of what may be reached (files.roots)", folder.string())};
}

/// Of a repository on this machine; empty for one elsewhere.
std::filesystem::path GitCommands::localPath(const std::string& url) {
  constexpr std::string_view kFile = "file://";
  return url.starts_with('/') ? url : url.starts_with(kFile) ? url.substr(kFile.size()) : "";
}

void GitCommands::on(serverlink::IServerLink& link, std::string_view type, Work work) {
  registrations_.push_back(
      link.onCommand(std::string(type), [&workers = workers_, work = std::move(work)](
                                            std::string command, Completion<std::string> done) {
        auto answer = std::make_shared<Completion<std::string>>(std::move(done));
        const bool taken = workers.submit(
            [answer, work, command = std::move(command)](const std::stop_token& stop) {
              (*answer)(guarded([&]() -> Result<std::string> {
                auto reader = BodyReader::parse(command);
                return reader ? work(reader.value(), stop) : std::move(reader).error();
              }));
            });
        if (!taken) {
          (*answer)(Error{errc::kOverloaded, "this machine is too busy; try again"});
        }
      }));
}

void GitCommands::attach(serverlink::IServerLink& link) {
  attachReads(link);
  attachWrites(link);
  attachClones(link);
}

void GitCommands::attachReads(serverlink::IServerLink& link) {
  using namespace hostprotocol::command;
  /// One that answers with an outcome.
  const auto outcome = [&](std::string_view type, const char* member,
                           Result<Json> (*work)(const Git&, const BodyReader&)) {
    on(link, type, [this, member, work](BodyReader& command, const std::stop_token& stop) {
      const auto git = open(command, stop);
      return available(command.body()["path"].asString(), member,
                       git ? work(git.value(), command) : Result<Json>(git.error()));
    });
  };
  outcome(kGitStatus, "workspace", [](const Git& git, const BodyReader& command) {
    return workspaceOf(git, command.body()["mergeBaseBranch"].asString(),
                       command.body()["baseBranch"].asString());
  });
  outcome(kGitDiff, "diff", [](const Git& git, const BodyReader& command) {
    const auto target = readTarget(command.body()["target"]);
    return target ? diffOf(git, target.value()) : Result<Json>(target.error());
  });
  outcome(kGitDiffFiles, nullptr, [](const Git& git, const BodyReader& command) {
    const auto target = readTarget(command.body()["target"]);
    return target ? diffFilesOf(git, target.value()) : Result<Json>(target.error());
  });
  outcome(kGitDiffPatch, "patches", [](const Git& git, const BodyReader& command) {
    const auto target = readTarget(command.body()["target"]);
    std::vector<std::string> paths;
    for (const auto& path : command.body()["paths"].items()) {
      paths.push_back(path.asString());
    }
    if (paths.size() > limits::kDiffPatches) {
      return Result<Json>(
          Error{errc::kInvalidInput, fmt::format("paths: at most {} at a time (limit diffPatches), "
                                                 "got {}",
                                                 limits::kDiffPatches, paths.size())});
    }
    return target ? patchesOf(git, target.value(), paths) : Result<Json>(target.error());
  });
  on(link, kGitDiffFile, [this](BodyReader& command, const std::stop_token& stop) {
    Side side{.path = command.requiredString("filePath"),
              .old = command.requiredString("side") == "old",
              .merge_base_ref = command.body()["mergeBaseRef"].asString()};
    const auto git = open(command, stop);
    auto target = readTarget(command.body()["target"]);
    if (!git || !target) {
      return Result<std::string>(git ? target.error() : git.error());
    }
    side.target = std::move(target).value();
    return text(diffFileOf(git.value(), side));
  });
  on(link, kGitBranches, [this](BodyReader& command, const std::stop_token& stop) {
    const auto query = readQuery(command);
    const auto git = open(command, stop);
    if (!git && git.error().code == kNotRepository) {
      return Result<std::string>(noBranches(git.error().message).dump());
    }
    if (!git || !query) {
      return Result<std::string>(git ? query.error() : git.error());
    }
    return text(branchesOf(git.value(), query.value()));
  });
  on(link, kGitRemote, [this](BodyReader& command, const std::stop_token& stop) {
    const auto git = open(command, stop);
    if (!git && git.error().code != kNotRepository) {
      return Result<std::string>(git.error());
    }
    const auto url = git ? remoteUrl(git.value()) : std::string();
    return Result<std::string>(Json::object()
                                   .set("isGitRepo", git.ok())
                                   .set("remoteUrl", url.empty() ? Json() : Json(url))
                                   .dump());
  });
  on(link, kGitPaths, [this](BodyReader& command, const std::stop_token& stop) {
    const auto wanted = readListQuery(command);
    const auto git = open(command, stop);
    if (!git && git.error().code == kNotRepository) {
      return Result<std::string>(Json::object().set("isGitRepo", false).dump());
    }
    if (!git || !wanted) {
      return Result<std::string>(git ? wanted.error() : git.error());
    }
    return text(pathsOf(git.value(), wanted.value()));
  });
  on(link, kGitPullRequest, [this](BodyReader& command, const std::stop_token& stop) {
    const auto git = open(command, stop);
    if (!git) {
      return Result<std::string>(noPullRequest(git.error().message).dump());
    }
    return Result<std::string>(pullRequestOf(git.value(), environment(), stop).dump());
  });
}

void GitCommands::attachWrites(serverlink::IServerLink& link) {
  using namespace hostprotocol::command;
  on(link, kGitCommit, [this](BodyReader& command, const std::stop_token& stop) {
    const auto message = command.requiredString("message");
    const auto git = open(command, stop);
    if (!git) {
      return Result<std::string>(git.error());
    }
    const auto alone = busy_.take(git.value().folder());
    return alone ? text(commitAll(git.value(), message)) : alone.error();
  });
  on(link, kGitCheckout, [this](BodyReader& command, const std::stop_token& stop) {
    const BranchChoice choice{.name = command.requiredString("branchName"),
                              .is_new = command.body()["isNew"].asBool(),
                              .base = command.body()["baseBranch"].asString()};
    const auto git = open(command, stop);
    if (!git) {
      return Result<std::string>(git.error());
    }
    const auto alone = busy_.take(git.value().folder());
    return alone ? text(checkOut(git.value(), choice)) : alone.error();
  });
}

void GitCommands::attachClones(serverlink::IServerLink& link) {
  using namespace hostprotocol::command;
  registrations_.push_back(link.onCommand(
      std::string(kGitClone), [this](const std::string& command, Completion<std::string> done) {
        auto reader = BodyReader::parse(command);
        if (!reader) {
          return done(reader.error());
        }
        auto& body = reader.value();
        Clones::Wanted wanted{.id = body.requiredString("cloneId"),
                              .url = body.requiredString("remoteUrl"),
                              .path = body.requiredString("path"),
                              .environment = [this] { return environment(); }};
        if (auto status = body.finish(); !status) {
          return done(std::move(status).error());
        }
        const auto source = localPath(wanted.url);
        for (const auto& each : {std::filesystem::path(wanted.path), source}) {
          if (auto status = each.empty() ? Status() : check(each); !status) {
            return done(std::move(status).error());
          }
        }
        clones_.begin(std::move(wanted), std::move(done));
      }));
  on(link, kGitCloneState, [this](BodyReader& command, const std::stop_token&) {
    return Result<std::string>(clones_.state(command.requiredString("cloneId")));
  });
  on(link, kGitCloneCancel, [this](BodyReader& command, const std::stop_token&) {
    const bool cancelled = clones_.cancel(command.requiredString("cloneId"));
    return Result<std::string>(Json::object().set("cancelled", cancelled).dump());
  });
}

}  // namespace svc::worktrees
