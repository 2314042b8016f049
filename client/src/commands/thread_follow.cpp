#include "commands/thread_follow.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/thread.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// Requests that are looked at to find the one that began the newest turn; the others steer it.
constexpr int kRequests = 100;

/// A thread none of whose newest requests begins a turn: it runs one that began long ago, has a message that waits, or there is nothing
/// to follow, as in a fork that nothing was said in.
int withoutRequest(const Console& console, Api& api, const std::string& thread,
                   FollowedTurn& turn) {
  const auto last = lastSeq(api, thread);
  const auto found = api.get("/threads/" + percentEncode(thread));
  const auto queue = api.get("/threads/" + percentEncode(thread) + "/queued-messages");
  for (const auto* reply : {&found, &queue}) {
    if (!*reply) {
      return reportNoAnswer(console, reply->error());
    }
    if (!reply->value().ok()) {
      return reportFailure(console, reply->value());
    }
  }
  const std::string_view status = found.value().json["thread"]["status"].asString();
  const auto& rows = queue.value().json["queuedMessages"].items();
  if (rows.empty() && (status == "idle" || status == "error")) {
    console.fail(Error{errc::kNotFound, "there is no turn to wait for: nothing was said in " +
                                            oneLine(thread) + " yet"},
                 "`svc thread send` says something, `--follow` shows what comes of it");
    return kExitFailure;
  }
  if (rows.empty() && (status == "active" || status == "stopping")) {
    turn.after_seq = last ? last.value() : 0;
    return kExitOk;
  }
  turn.begins = [](const Json& requested) { return !isSteer(requested); };
  turn.queued_message = rows.empty() ? std::string() : rows.front()["id"].asString();
  return kExitOk;
}

}  // namespace

bool isSteer(const Json& requested) {
  return requested["target"]["kind"].asString() == std::string_view("steer");
}

Result<std::int64_t> lastSeq(Api& api, const std::string& thread) {
  const auto reply = api.get("/threads/" + percentEncode(thread) + "/events?order=desc&limit=1");
  if (!reply) {
    return reply.error();
  }
  const auto& events = reply.value().json["events"].items();
  return events.empty() ? std::int64_t{0} : events.front()["seq"].asInteger();
}

std::string firstWaiting(Api& api, const std::string& thread) {
  const auto reply = api.get("/threads/" + percentEncode(thread) + "/queued-messages");
  const auto rows = reply ? reply.value().json["queuedMessages"] : Json();
  return rows.items().empty() ? std::string() : rows.items().front()["id"].asString();
}

int followTurn(Context& context, const std::string& thread, ThreadView view, FollowedTurn turn) {
  if (isOwnAgent(context, thread)) {
    context.console.err << "hint: this is the thread that runs this command: unless it runs in the "
                           "background, it and the turn wait for each other\n"
                        << std::flush;
  }
  return ThreadFollower(context, thread, view).follow(std::move(turn));
}

int threadFollow(Context& context, const ThreadFollowOptions& options) {
  const auto& console = context.console;
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  const auto reply = opened.value().get(
      fmt::format("/threads/{}/events?order=desc&types=client/turn/requested&limit={}",
                  percentEncode(options.thread), kRequests));
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& requests = reply.value().json["events"].items();
  const auto newest = std::find_if(requests.begin(), requests.end(),
                                   [](const Json& each) { return !isSteer(each["data"]); });
  FollowedTurn turn;
  if (newest == requests.end()) {
    if (const int code = withoutRequest(console, opened.value(), options.thread, turn);
        code != kExitOk) {
      return code;
    }
  } else {
    turn.after_seq = options.all ? 0 : (*newest)["seq"].asInteger() - 1;
    turn.begins = [request = (*newest)["data"]["requestId"].asString()](const Json& each) {
      return each["requestId"].asString() == request;
    };
  }
  return followTurn(context, options.thread, options.view, std::move(turn));
}

}  // namespace svc::client
