#include "place_commands.h"

#include <memory>
#include <utility>

#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"

#include "removed_worktrees.h"

namespace svc::worktrees {
namespace {

using common::BodyReader;
using common::Json;

Result<PlaceWish> readWish(BodyReader& command) {
  const auto& workspace = command.body()["workspace"];
  PlaceWish wish{.environment_id = command.requiredString("environmentId"),
                 .type = workspace["type"].asString(),
                 .path = workspace["path"].asString(),
                 .project_path = command.body()["projectPath"].asString(),
                 .branch_name = workspace["branchName"].asString(),
                 .base_branch = workspace["baseBranch"].asString()};
  if (auto status = command.finish(); !status) {
    return std::move(status).error();
  }
  return wish;
}

/// A server that was killed may not know that its worktree is there, and that its script runs: it asks for the worktree first, which is
/// answered meanwhile.
std::string jobOf(std::string_view type, const std::string& environment_id) {
  return type == hostprotocol::command::kEnvironmentCreate ? environment_id + ".create"
                                                           : environment_id;
}

}  // namespace

base::Environment PlaceCommands::variables(const serverlink::IServerLink& link,
                                           const Json& command) const {
  base::Environment out;
  for (const auto& [name, value] : command["env"].members()) {
    out[name] = value.asString();
  }
  out["SVC_SERVER_URL"] = link.serverUrl();
  out["SVC_CLI"] = (bin_ / "svc").string();
  return out;
}

Result<std::string> PlaceCommands::perform(Work work, const PlaceWish& wish,
                                           base::Environment variables,
                                           const std::stop_token& stop) const {
  // Before anything is done in a folder where a script of a killed daemon may run.
  leftovers_.end();
  const auto environment = git_.environment();
  variables["PATH"] = bin_.string() + ":" + environment.at("PATH");
  const auto done = work(Places(directory_, environment, stop, runs_scripts_), wish, variables);
  return done ? Result<std::string>(done.value().dump()) : done.error();
}

bool PlaceCommands::isFirst(const Errand& errand, const Answer& answer) {
  const std::scoped_lock lock(mutex_);
  auto& waiting = errands_[errand];
  waiting.push_back(answer);
  return waiting.size() == 1;
}

void PlaceCommands::finish(const Errand& errand, const Result<std::string>& result) {
  std::vector<Answer> waiting;
  {
    const std::scoped_lock lock(mutex_);
    waiting = std::move(errands_.extract(errand).mapped());
  }
  for (const auto& answer : waiting) {
    (*answer)(result);
  }
}

void PlaceCommands::on(serverlink::IServerLink& link, std::string_view type, Work work) {
  registrations_.push_back(
      link.onCommand(std::string(type), [this, &link, work, type = std::string(type)](
                                            const std::string& text, Completion<std::string> done) {
        auto command = BodyReader::parse(text);
        const auto wish = command ? readWish(command.value()) : command.error();
        if (!wish) {
          return done(wish.error());
        }
        for (const auto& folder : {wish.value().path, wish.value().project_path}) {
          if (auto status = folder.empty() ? Status() : git_.check(folder); !status) {
            return done(std::move(status).error());
          }
        }
        const Errand errand{type, wish.value().environment_id};
        if (!isFirst(errand, std::make_shared<Completion<std::string>>(std::move(done)))) {
          return;
        }
        auto begun = jobs_.begin(
            jobOf(type, wish.value().environment_id),
            [this, work, errand, wish = wish.value(),
             told = variables(link, command.value().body())](const std::stop_token& stop) -> Task {
              auto made = guarded([&] { return perform(work, wish, told, stop); });
              return [this, errand, made = std::move(made)] { finish(errand, made); };
            });
        if (!begun) {
          finish(errand, std::move(begun).error());
        }
      }));
}

void PlaceCommands::attach(serverlink::IServerLink& link) {
  using namespace hostprotocol::command;
  // Also when nothing is ever asked for again.
  (void)jobs_.begin("leftovers", [this](const std::stop_token& stop) -> Task {
    leftovers_.end();
    deletePutAway(directory_ / "worktrees", stop);
    return [] {};
  });
  on(link, kEnvironmentCreate,
     [](const Places& places, const PlaceWish& wish, const base::Environment&) {
       return places.create(wish);
     });
  on(link, kEnvironmentSetup,
     [](const Places& places, const PlaceWish& wish, const base::Environment& variables) {
       return places.runScript(wish, "setup", variables);
     });
  on(link, kEnvironmentRemove,
     [](const Places& places, const PlaceWish& wish, const base::Environment& variables) {
       // Its failure keeps nothing: what it was to clean up is not the folder.
       (void)places.runScript(wish, "teardown", variables);
       return places.remove(wish);
     });
  registrations_.push_back(
      link.onCommand(std::string(kEnvironmentCancel),
                     [this](const std::string& text, Completion<std::string> done) {
                       auto command = BodyReader::parse(text);
                       if (!command) {
                         return done(command.error());
                       }
                       const auto id = command.value().requiredString("environmentId");
                       const bool created = jobs_.cancel(jobOf(kEnvironmentCreate, id));
                       const bool cancelled = jobs_.cancel(jobOf(kEnvironmentSetup, id));
                       done(Json::object().set("cancelled", created || cancelled).dump());
                     }));
}

}  // namespace svc::worktrees
