#include "place_commands.h"

#include <memory>
#include <utility>

#include "svc/common/codes.h"
#include "svc/hostprotocol/protocol.h"

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

}  // namespace

base::Environment PlaceCommands::variables(const serverlink::IServerLink& link,
                                           const Json& command) const {
  base::Environment out;
  for (const auto& [name, value] : command["env"].members()) {
    out[name] = value.asString();
  }
  out["SVC_SERVER_URL"] = link.serverUrl();
  out["SVC_CLI"] = (bin_ / "svc").string();
  out["PATH"] = bin_.string() + ":" + git_.environment().at("PATH");
  return out;
}

/// Before anything is done in a folder where a script of a killed daemon may run.
void PlaceCommands::endLeftovers() {
  std::call_once(cleaned_, [this] { Places::marksBelow(directory_).endLeftovers(); });
}

void PlaceCommands::on(serverlink::IServerLink& link, std::string_view type, Work work) {
  registrations_.push_back(link.onCommand(
      std::string(type),
      [this, &link, work](const std::string& text, Completion<std::string> done) {
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
        const auto answer = std::make_shared<Completion<std::string>>(std::move(done));
        auto begun = jobs_.begin(
            wish.value().environment_id,
            [this, work, answer, wish = wish.value(),
             told = variables(link, command.value().body())](const std::stop_token& stop) -> Task {
              endLeftovers();
              auto made = guarded([&]() -> Result<std::string> {
                const Places places(directory_, git_.environment(), stop, runs_scripts_);
                const auto found = work(places, wish, told);
                return found ? Result<std::string>(found.value().dump()) : found.error();
              });
              return [answer, made = std::move(made)]() mutable { (*answer)(std::move(made)); };
            });
        if (!begun) {
          (*answer)(std::move(begun).error());
        }
      }));
}

void PlaceCommands::attach(serverlink::IServerLink& link) {
  using namespace hostprotocol::command;
  // Also when nothing is ever asked for again.
  (void)jobs_.begin("leftovers", [this](const std::stop_token&) -> Task {
    endLeftovers();
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
  registrations_.push_back(link.onCommand(
      std::string(kEnvironmentCancel),
      [this](const std::string& text, Completion<std::string> done) {
        auto command = BodyReader::parse(text);
        if (!command) {
          return done(command.error());
        }
        const bool cancelled = jobs_.cancel(command.value().requiredString("environmentId"));
        done(Json::object().set("cancelled", cancelled).dump());
      }));
}

}  // namespace svc::worktrees
