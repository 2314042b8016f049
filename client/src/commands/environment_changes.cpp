#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/environment.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string checksSentence(const Json& checks) {
  const std::string_view state = checks["state"].asString();
  return state == "no_checks"
             ? "none"
             : fmt::format("{}: {} passed, {} failed, {} pending", state,
                           checks["passedCount"].asInteger(), checks["failedCount"].asInteger(),
                           checks["pendingCount"].asInteger());
}

void showPullRequest(const Console& console, const Json& pull) {
  Table facts;
  facts.add({"pull request",
             fmt::format("#{} {}", pull["number"].asInteger(), pull["title"].asString())});
  facts.add({"address", pull["url"].asString()});
  facts.add({"state", pull["state"].asString()});
  facts.add({"branches", fmt::format("{} into {}", pull["headRefName"].asString(),
                                     pull["baseRefName"].asString())});
  facts.add({"checks", checksSentence(pull["checks"])});
  facts.add({"review", pull["review"]["state"].asString()});
  facts.add({"can be merged", pull["mergeability"]["state"].asString()});
  facts.add({"what it waits for", pull["attention"].asString()});
  console.out << facts.render(layoutFor(console));
}

/// Before somebody thinks that it is all in the commit.
void noteLeftOut(const Console& console, const Json& paths) {
  for (const auto& path : paths.items()) {
    console.err << "Not in the commit: " << oneLine(path.asString())
                << ", a repository of its own or a name that git refuses.\n";
  }
}

}  // namespace

int environmentCommit(Context& context, const std::string& environment,
                      const std::string& message) {
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    auto body = Json::object();
    if (!message.empty()) {
      body.set("message", message);
    }
    return ask(context, api, {"POST", environmentPath(found, "/commit"), body.dump()},
               [&](const Json& envelope) {
                 context.console.out
                     << fmt::format("{}  {}\n", oneLine(envelope["commitSha"].asString()),
                                    oneLine(envelope["commitSubject"].asString()));
                 noteLeftOut(context.console, envelope["leftOut"]);
               });
  });
}

int environmentUpdate(Context& context, const std::string& environment,
                      const EnvironmentChange& change) {
  const auto& console = context.console;
  if (!change.name && !change.base) {
    console.fail(Error{codes::kUsage, "nothing to change"}, "give --name, --base or both");
    return kExitUsage;
  }
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    auto body = Json::object();
    const auto put = [&body](const char* member, const std::optional<std::string>& value) {
      if (value) {
        body.set(member, value->empty() ? Json() : Json(*value));
      }
    };
    put("name", change.name);
    put("mergeBaseBranch", change.base);
    return ask(context, api, {"PATCH", environmentPath(found), body.dump()},
               [&](const Json& envelope) {
                 console.out << "Changed " << environmentLabel(envelope["environment"]) << ".\n";
               });
  });
}

int environmentRemove(Context& context, const std::string& environment, bool yes) {
  const auto& console = context.console;
  if (!yes && !console.in_terminal) {
    console.fail(Error{codes::kRefused, "nothing was removed: it was not confirmed"},
                 "run it on a terminal, or add --yes");
    return kExitRefused;
  }
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    const auto label = environmentLabel(found);
    const bool managed = found["managed"].asBool();
    if (!yes && !console.confirm(fmt::format(
                    "This removes {}{}. Continue? [y/N]", label,
                    managed ? " and its folder, unless that has work which is nowhere else"
                            : "; its folder stays as it is"))) {
      console.fail(Error{codes::kRefused, "nothing was removed"});
      return static_cast<int>(kExitRefused);
    }
    return ask(context, api, {"DELETE", environmentPath(found), ""}, [&](const Json& envelope) {
      const bool gone = envelope["environment"]["status"].asString() == "destroyed";
      console.out << (gone ? "Removed " : "Removing ") << label << ".\n";
      if (managed && !gone) {
        console.err << "`svc environment show " << oneLine(found["id"].asString())
                    << "` says how far it is.\n";
      }
    });
  });
}

int environmentPullRequest(Context& context, const std::string& environment) {
  const auto& console = context.console;
  return withEnvironment(context, environment, [&](Api& api, const Json& found) {
    return askOutcome(context, api, environmentPath(found, "/pull-request"),
                      [&](const Json& envelope) {
                        if (envelope["outcome"].asString() == "absent") {
                          console.err << "Its branch has no pull request.\n";
                        } else {
                          showPullRequest(console, envelope["pullRequest"]);
                        }
                      });
  });
}

}  // namespace svc::client
