#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/thread.h"
#include "commands/thread_follow.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

Json inputOf(const std::string& text) {
  return Json(Json::Array{Json::object().set("type", "text").set("text", text)});
}

void setIf(Json& body, const char* member, const std::string& value) {
  if (!value.empty()) {
    body.set(member, value);
  }
}

void setExecution(Json& body, const ThreadMessage& message) {
  setIf(body, "model", message.model);
  setIf(body, "reasoningLevel", message.reasoning);
  setIf(body, "permissionMode", message.permissions);
}

/// The folder a project has here, and how much of the path of the working directory that is.
std::size_t nearness(const Json& project, const std::string& host_id,
                     const std::filesystem::path& working_dir) {
  std::size_t best = 0;
  for (const auto& source : project["sources"].items()) {
    const auto& path = source["path"].asString();
    const auto relative = working_dir.lexically_relative(path);
    if (source["hostId"].asString() == host_id && !relative.empty() &&
        relative.native().find("..") != 0) {
      best = std::max(best, path.size());
    }
  }
  return best;
}

/// The project that is named, the one that a terminal of a thread is in, or the one of the working directory.
int withOwnProject(const Context& context, Api& api, const std::string& wanted,
                   const std::function<int(const Json& project)>& use) {
  if (!wanted.empty()) {
    return findRecord(context, api, kProjectRecords, wanted, use);
  }
  if (const auto own = context.environment.variable("SVC_PROJECT_ID"); own && !own->empty()) {
    return findRecord(context, api, kProjectRecords, *own, use);
  }
  return withMachine(context, api, {}, [&](const Json& host) {
    const auto listed = api.get("/projects");
    if (!listed) {
      return reportNoAnswer(context.console, listed.error());
    }
    if (!listed.value().ok()) {
      return reportFailure(context.console, listed.value());
    }
    const Json* nearest = nullptr;
    std::size_t best = 0;
    for (const auto& project : listed.value().json["projects"].items()) {
      const auto near = nearness(project, host["id"].asString(), context.environment.working_dir);
      if (near > best) {
        best = near;
        nearest = &project;
      }
    }
    if (nearest == nullptr) {
      context.console.fail(
          Error{codes::kUsage, "no project has this directory; say which one with --project"},
          "`svc project list` shows them, `svc project create <name> .` makes one of this "
          "directory, and `--project Personal` needs none");
      return static_cast<int>(kExitUsage);
    }
    return use(*nearest);
  });
}

/// Where the thread is to work; null = as the project says.
Json intentOf(const Context& context, const ThreadStartOptions& options,
              const std::string& host_id) {
  if (!options.worktree && options.folder.empty() && host_id.empty()) {
    return {};
  }
  auto workspace = Json::object();
  if (options.worktree) {
    workspace.set("type", "managed-worktree");
    workspace.set("baseBranch",
                  options.base.empty()
                      ? Json::object().set("kind", "default")
                      : Json::object().set("kind", "named").set("name", options.base));
  } else {
    workspace.set("type", "unmanaged")
        .set("path", options.folder.empty()
                         ? Json()
                         : Json(pathOn(context, options.machine, options.folder)));
  }
  auto intent = Json::object().set("type", "host");
  setIf(intent, "hostId", host_id);
  return intent.set("workspace", std::move(workspace));
}

int withIntent(const Context& context, Api& api, const ThreadStartOptions& options,
               const std::function<int(const Json& intent)>& use) {
  if (!options.environment.empty()) {
    return findRecord(
        context, api, kEnvironmentRecords, options.environment, [&](const Json& found) {
          return use(Json::object().set("type", "reuse").set("environmentId", found["id"]));
        });
  }
  if (!options.machine.empty()) {
    return findRecord(context, api, kMachineRecords, options.machine, [&](const Json& host) {
      return use(intentOf(context, options, host["id"].asString()));
    });
  }
  return use(intentOf(context, options, {}));
}

/// As ask(), and the answer comes back for what follows. With --json it is the first of several lines.
int askFirst(const Context& context, Api& api, const HttpRequest& request, Json& envelope,
             const std::function<void(const Json& envelope)>& show) {
  const auto reply = api.call(request);
  if (!reply) {
    return reportNoAnswer(context.console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(context.console, reply.value());
  }
  envelope = reply.value().json;
  if (context.console.json) {
    context.console.out << reply.value().text << '\n' << std::flush;
  } else {
    show(envelope);
  }
  return kExitOk;
}

/// A machine that is away is waited for, for a while: "started" alone would have people look for what the agent does.
void sayWhenAway(const Console& console, Api& api, const std::string& thread) {
  const auto found = api.get("/threads/" + percentEncode(thread));
  const auto& host =
      found && found.value().ok() ? found.value().json["thread"]["environmentHostId"] : Json();
  const auto machine = host.isString() ? api.get("/hosts/" + percentEncode(host.asString()))
                                       : Result<Reply>(Error{errc::kNotFound, ""});
  if (machine && machine.value().ok() &&
      machine.value().json["host"]["status"].asString() != "connected") {
    console.err << fmt::format(
        "Its machine {} is not connected: the message waits for it, half a minute at most.\n",
        oneLine(machine.value().json["host"]["name"].asString()));
  }
}

}  // namespace

int threadStart(Context& context, const ThreadStartOptions& options) {
  const auto& console = context.console;
  const auto text = readMessage(console, options.message.words);
  if (!text) {
    return failMessage(console, text.error());
  }
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  auto& api = opened.value();
  return withOwnProject(context, api, options.project, [&](const Json& project) {
    return withIntent(context, api, options, [&](const Json& intent) {
      auto body = Json::object()
                      .set("origin", "cli")
                      .set("projectId", project["id"])
                      .set("input", inputOf(text.value()));
      setIf(body, "providerId", options.provider);
      setIf(body, "title", options.title);
      setIf(body, "parentThreadId", context.environment.variable("SVC_THREAD_ID").value_or(""));
      setExecution(body, options.message);
      if (!intent.isNull()) {
        body.set("environment", intent);
      }
      if (options.hidden) {
        body.set("visibility", "hidden");
      }
      Json envelope;
      const int code = askFirst(
          context, api, {"POST", "/api/v1/threads", body.dump()}, envelope, [&](const Json& made) {
            const auto& thread = made["thread"];
            auto& to = options.message.follow ? console.err : console.out;
            to << fmt::format("Started {} with {} in {}.\n", oneLine(thread["id"].asString()),
                              oneLine(thread["providerId"].asString()),
                              oneLine(project["name"].asString()))
               << std::flush;
            if (!options.message.follow) {
              console.err << "`svc thread follow " << oneLine(thread["id"].asString())
                          << "` shows what it does.\n";
              sayWhenAway(console, api, thread["id"].asString());
            }
          });
      if (code != kExitOk || !options.message.follow) {
        return code;
      }
      const auto& id = envelope["thread"]["id"].asString();
      FollowedTurn turn{.begins = [](const Json& requested) { return !isSteer(requested); }};
      if (envelope["thread"]["status"].asString() == "pending") {
        turn.queued_message = firstWaiting(api, id);
      }
      return followTurn(context, id, options.message.view, std::move(turn));
    });
  });
}

int threadSend(Context& context, const ThreadSendOptions& options) {
  const auto& console = context.console;
  if (!options.message.permissions.empty() && isOwnAgent(context, options.thread)) {
    console.fail(Error{codes::kRefused, "an agent does not choose what it may do itself"},
                 "leave --permissions out; the person it works for chooses, in the window or in a "
                 "terminal");
    return kExitRefused;
  }
  const auto text = readMessage(console, options.message.words);
  if (!text) {
    return failMessage(console, text.error());
  }
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  auto& api = opened.value();
  const auto before =
      options.message.follow ? lastSeq(api, options.thread) : Result<std::int64_t>(0);
  if (!before) {
    return reportNoAnswer(console, before.error());
  }
  auto body = Json::object().set("input", inputOf(text.value())).set("mode", options.mode);
  setIf(body, "senderThreadId", context.environment.variable("SVC_THREAD_ID").value_or(""));
  setExecution(body, options.message);
  Json envelope;
  const int code =
      askFirst(context, api, {"POST", threadPath(options.thread, "/send"), body.dump()}, envelope,
               [&](const Json& sent) {
                 const std::string_view outcome = sent["outcome"].asString();
                 auto& to = options.message.follow ? console.err : console.out;
                 to << (outcome == "queued"    ? "The message waits in the queue.\n"
                        : outcome == "steered" ? "The message is with the agent, in its turn.\n"
                                               : "The turn has started.\n")
                    << std::flush;
                 if (outcome != "queued" && outcome != "steered" && !options.message.follow) {
                   sayWhenAway(console, api, options.thread);
                 }
               });
  if (code != kExitOk || !options.message.follow) {
    return code;
  }
  FollowedTurn turn{.after_seq = before.value()};
  const auto& request = envelope["turnRequestId"].asString();
  const std::string_view outcome = envelope["outcome"].asString();
  if (outcome == "queued") {
    turn.begins = beginsWithText(text.value());
    turn.queued_message = envelope["queuedMessageId"].asString();
  } else if (outcome != "steered") {
    turn.begins = [request](const Json& each) { return each["requestId"].asString() == request; };
  }
  return followTurn(context, options.thread, options.message.view, std::move(turn));
}

int threadRetry(Context& context, const ThreadRetryOptions& options) {
  const auto& console = context.console;
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  auto& api = opened.value();
  const auto before = options.follow ? lastSeq(api, options.thread) : Result<std::int64_t>(0);
  if (!before) {
    return reportNoAnswer(console, before.error());
  }
  const auto body =
      Json::object().set("turnRequestId", options.request.empty() ? Json() : Json(options.request));
  Json envelope;
  const int code = askFirst(
      context, api, {"POST", threadPath(options.thread, "/retry"), body.dump()}, envelope,
      [&](const Json& answer) {
        auto& to = options.follow ? console.err : console.out;
        to << fmt::format("It is tried again (attempt {}).\n", answer["attempt"].asInteger())
           << std::flush;
      });
  if (code != kExitOk || !options.follow) {
    return code;
  }
  return followTurn(
      context, options.thread, options.view,
      {.after_seq = before.value(),
       .begins = [](const Json& each) { return !each["continuationOfRequestId"].isNull(); },
       .queued_message = envelope["queuedMessageId"].asString()});
}

int threadFork(Context& context, const ThreadForkOptions& options) {
  const auto& console = context.console;
  auto body = Json::object().set("sourceThreadId", options.thread);
  if (!options.words.empty()) {
    const auto text = readMessage(console, options.words);
    if (!text) {
      return failMessage(console, text.error());
    }
    body.set("input", inputOf(text.value()));
  }
  setIf(body, "title", options.title);
  if (options.isolated) {
    body.set("workspace", "isolated");
  }
  return askServer(context, {"POST", "/api/v1/threads/fork", body.dump()},
                   [&](const Json& envelope) {
                     console.out << "Made " << threadLabel(envelope["thread"]) << ".\n";
                   });
}

}  // namespace svc::client
