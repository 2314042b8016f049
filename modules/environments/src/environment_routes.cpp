#include "environment_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/hosts/host_failure.h"

#include "record.h"
#include "route_requests.h"

namespace svc::environments {

using common::Json;
namespace command_type = hostprotocol::command;

Status EnvironmentRoutes::attach(http::IHttpServer& server) {
  using Member = void (EnvironmentRoutes::*)(const http::ExchangePtr& exchange);
  struct Entry {
    const char* method;
    const char* name;
    Member member;
  };
  for (const auto& entry :
       {Entry{"GET", "", &EnvironmentRoutes::list},
        Entry{"GET", "/providers", &EnvironmentRoutes::providers},
        Entry{"GET", "/:environmentId", &EnvironmentRoutes::show},
        Entry{"PATCH", "/:environmentId", &EnvironmentRoutes::update},
        Entry{"DELETE", "/:environmentId", &EnvironmentRoutes::remove},
        Entry{"GET", "/:environmentId/status", &EnvironmentRoutes::status},
        Entry{"GET", "/:environmentId/diff", &EnvironmentRoutes::diff},
        Entry{"GET", "/:environmentId/diff-files", &EnvironmentRoutes::diffFiles},
        Entry{"POST", "/:environmentId/diff-patch", &EnvironmentRoutes::diffPatch},
        Entry{"GET", "/:environmentId/diff-file", &EnvironmentRoutes::diffFile},
        Entry{"GET", "/:environmentId/diff-branches", &EnvironmentRoutes::diffBranches},
        Entry{"GET", "/:environmentId/paths", &EnvironmentRoutes::paths},
        Entry{"POST", "/:environmentId/commit", &EnvironmentRoutes::commit},
        Entry{"GET", "/:environmentId/pull-request", &EnvironmentRoutes::pullRequest}}) {
    auto route = server.route(
        {.method = entry.method, .pattern = fmt::format("/api/v1/environments{}", entry.name)},
        [this, member = entry.member](const http::ExchangePtr& exchange) {
          (this->*member)(exchange);
        });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void EnvironmentRoutes::list(const http::ExchangePtr& exchange) {
  const auto project_id = queryText(exchange->request(), "projectId");
  const auto page = readPage(exchange->request());
  if (!page) {
    return exchange->fail(page.error());
  }
  auto records = Json::array();
  std::size_t before = 0;
  for (const auto& row : with_.rows->list()) {
    const bool fits = project_id.empty() || row.project_id == project_id;
    if (fits && before++ >= page.value().offset && records.items().size() < page.value().limit) {
      records.push(toRecord(row));
    }
  }
  respond(exchange, Json::object().set("environments", std::move(records)));
}

void EnvironmentRoutes::providers(const http::ExchangePtr& exchange) {
  // Plugins register none in this version.
  respond(exchange, Json::object().set("providers", Json::array()));
}

void EnvironmentRoutes::show(const http::ExchangePtr& exchange) {
  const auto id = exchange->request().parameter("environmentId");
  const auto row = with_.rows->find(id);
  if (!row) {
    return exchange->fail(noSuchEnvironment(id));
  }
  respond(exchange, Json::object().set("environment", toRecord(*row)));
}

void EnvironmentRoutes::update(const http::ExchangePtr& exchange) {
  auto edit = readEdit(exchange->request());
  if (!edit) {
    return exchange->fail(edit.error());
  }
  with_.book->update(
      std::string(exchange->request().parameter("environmentId")), std::move(edit.value().name),
      std::move(edit.value().merge_base_branch), [exchange](Result<Json> record) {
        if (!record) {
          return exchange->fail(record.error());
        }
        respond(exchange, Json::object().set("environment", std::move(record).value()));
      });
}

void EnvironmentRoutes::remove(const http::ExchangePtr& exchange) {
  with_.book->remove(
      std::string(exchange->request().parameter("environmentId")), [exchange](Result<Json> record) {
        if (!record) {
          return exchange->fail(record.error());
        }
        respond(exchange, Json::object().set("environment", std::move(record).value()));
      });
}

std::optional<storage::EnvironmentRow> EnvironmentRoutes::placed(
    const http::ExchangePtr& exchange) const {
  const auto id = exchange->request().parameter("environmentId");
  auto row = with_.rows->find(id);
  if (!row) {
    exchange->fail(noSuchEnvironment(id));
    return std::nullopt;
  }
  if (row->path.empty() || stateOf(row->status) == State::kDestroyed) {
    exchange->fail(notUsable(*row));
    return std::nullopt;
  }
  return row;
}

void EnvironmentRoutes::ask(const http::ExchangePtr& exchange, const Row& row,
                            std::string_view type, Json command, Take take) const {
  command.set("type", type).set("environmentId", row.id).set("path", row.path);
  with_.commands.send(row.host_id, command.dump(), limits::kGit + limits::kHostTransport,
                      [exchange, take = std::move(take)](const Result<std::string>& result) {
                        auto answer = hosts::answerObject(result);
                        if (!answer) {
                          return exchange->fail(machineFailure(std::move(answer).error()));
                        }
                        take(exchange, answer.value());
                      });
}

void EnvironmentRoutes::outcome(const http::ExchangePtr& exchange, std::string_view type,
                                Json command) {
  const auto row = placed(exchange);
  if (!row) {
    return;
  }
  // Whether there is a repository is the machine's to say each time: one may have been made since the folder became an environment.
  ask(exchange, *row, type, std::move(command),
      [had_one = row->is_git_repo](const http::ExchangePtr& to, const Json& answer) {
        const auto& failure = answer["failure"];
        const bool has_none =
            !had_one && failure["code"].asString() == std::string_view("not_git_repo");
        respond(to, has_none ? notApplicable(failure["message"].asString()) : answer);
      });
}

std::string EnvironmentRoutes::baseOf(const http::ExchangePtr& exchange) const {
  const auto row = with_.rows->find(exchange->request().parameter("environmentId"));
  if (!row) {
    return {};
  }
  return row->merge_base_branch.empty() ? row->base_branch : row->merge_base_branch;
}

Json EnvironmentRoutes::compared(const http::ExchangePtr& exchange, Json target) const {
  const auto& type = target["type"].asString();
  const auto base = type == "all" || type == "branch_committed" ? baseOf(exchange) : std::string();
  if (!base.empty()) {
    target.set("baseBranch", base);
  }
  return target;
}

void EnvironmentRoutes::status(const http::ExchangePtr& exchange) {
  outcome(exchange, command_type::kGitStatus,
          Json::object()
              .set("mergeBaseBranch", queryText(exchange->request(), "mergeBaseBranch"))
              .set("baseBranch", baseOf(exchange)));
}

void EnvironmentRoutes::target(const http::ExchangePtr& exchange, std::string_view type) {
  outcome(exchange, type,
          Json::object().set("target", compared(exchange, queryTarget(exchange->request()))));
}

void EnvironmentRoutes::diff(const http::ExchangePtr& exchange) {
  target(exchange, command_type::kGitDiff);
}

void EnvironmentRoutes::diffFiles(const http::ExchangePtr& exchange) {
  target(exchange, command_type::kGitDiffFiles);
}

void EnvironmentRoutes::diffPatch(const http::ExchangePtr& exchange) {
  auto wanted = readPatchRequest(exchange->request());
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  wanted.value().set("target", compared(exchange, wanted.value()["target"]));
  outcome(exchange, command_type::kGitDiffPatch, std::move(wanted).value());
}

void EnvironmentRoutes::diffFile(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto side = queryText(request, "side");
  const auto path = queryText(request, "path");
  if (path.empty() || (side != "old" && side != "new")) {
    return exchange->fail({errc::kInvalidInput, path.empty() ? "path: the path of a file is missing"
                                                             : R"(side: expected "old" or "new")"});
  }
  const auto row = placed(exchange);
  if (row) {
    ask(exchange, *row, command_type::kGitDiffFile,
        Json::object()
            .set("filePath", path)
            .set("side", side)
            .set("mergeBaseRef", queryText(request, "mergeBaseRef"))
            .set("target", compared(exchange, queryTarget(request))),
        respond);
  }
}

void EnvironmentRoutes::diffBranches(const http::ExchangePtr& exchange) {
  auto query = readListQuery(exchange->request(), limits::kBranches, limits::kBranchesDefault);
  if (!query) {
    return exchange->fail(query.error());
  }
  if (const auto selected = queryText(exchange->request(), "selectedBranch"); !selected.empty()) {
    query.value().set("selectedBranch", selected);
  }
  const auto row = placed(exchange);
  if (!row) {
    return;
  }
  ask(exchange, *row, command_type::kGitBranches, std::move(query).value(),
      [](const http::ExchangePtr& to, const Json& found) {
        auto answer = Json::object();
        for (const char* member : {"branches", "branchesTruncated", "remoteBranches",
                                   "remoteBranchesTruncated", "selectedBranch"}) {
          answer.set(member, found[member]);
        }
        respond(to, answer);
      });
}

void EnvironmentRoutes::paths(const http::ExchangePtr& exchange) {
  auto query = readListQuery(exchange->request(), limits::kListing, limits::kListingDefault);
  if (!query) {
    return exchange->fail(query.error());
  }
  for (const char* member : {"includeFiles", "includeDirectories"}) {
    query.value().set(member, queryText(exchange->request(), member) != "false");
  }
  const auto row = placed(exchange);
  if (!row) {
    return;
  }
  const auto shown = [](const http::ExchangePtr& to, const Json& found) {
    respond(to, Json::object().set("paths", found["paths"]).set("truncated", found["truncated"]));
  };
  ask(exchange, *row, command_type::kGitPaths, query.value(),
      [this, row = *row, query = query.value(), shown](const http::ExchangePtr& to,
                                                       const Json& found) {
        if (found["isGitRepo"].asBool()) {
          return shown(to, found);
        }
        auto all = query;
        ask(to, row, command_type::kListPaths, all.set("rootPath", row.path), shown);
      });
}

void EnvironmentRoutes::commit(const http::ExchangePtr& exchange) {
  auto message = readCommitMessage(exchange->request());
  if (!message) {
    return exchange->fail(message.error());
  }
  const auto row = placed(exchange);
  if (!row) {
    return;
  }
  auto said = std::move(message).value();
  if (said.empty()) {
    said = with_.book->workTitle(row->id);
  }
  ask(exchange, *row, command_type::kGitCommit,
      Json::object().set("message", said.empty() ? std::string("Changes") : std::move(said)),
      [announce = with_.announce, row = *row](const http::ExchangePtr& to, const Json& made) {
        announce(row.id, "work-status-changed");
        announce(row.id, "git-refs-changed");
        const auto& subject = made["commitSubject"].asString();
        auto members = Json::object()
                           .set("action", "commit")
                           .set("message", fmt::format("Committed \"{}\"", subject))
                           .set("commitSha", made["commitSha"])
                           .set("commitSubject", subject);
        if (const auto* left_out = made.find("leftOut")) {
          members.set("leftOut", *left_out);
          if (const auto count = left_out->items().size(); count > 0) {
            members.set("message", fmt::format("Committed \"{}\", {} left out", subject, count));
          }
        }
        respond(to, members);
      });
}

void EnvironmentRoutes::pullRequest(const http::ExchangePtr& exchange) {
  const auto row = placed(exchange);
  if (!row) {
    return;
  }
  const auto now = with_.clock.steadyNow();
  std::erase_if(*kept_, [now](const auto& each) { return each.second.until <= now; });
  if (const auto found = kept_->find(row->id); found != kept_->end()) {
    return respond(exchange, found->second.answer);
  }
  ask(exchange, *row, command_type::kGitPullRequest, Json::object(),
      [kept = kept_, id = row->id, now](const http::ExchangePtr& to, const Json& answer) {
        const bool pending = answer["pullRequest"]["checks"]["state"].asString() == "pending";
        if (answer["outcome"].asString() != std::string_view("unavailable")) {
          (*kept)[id] = {answer,
                         now + (pending ? limits::kPullRequestPending : limits::kPullRequest)};
        }
        respond(to, answer);
      });
}

}  // namespace svc::environments
