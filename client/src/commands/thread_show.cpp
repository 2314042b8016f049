// One thread: what it is, and why it does not go on.
#include <ostream>

#include <fmt/format.h>

#include "commands/thread.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

void addThreadFact(Table& facts, const char* name, const std::string& value) {
  if (!value.empty()) {
    facts.add({name, value});
  }
}

/// Of the newest event that says what is done before the agent begins.
std::string stepUnderWay(const Json& events) {
  std::string out;
  for (const auto& event : events.items()) {
    for (const auto& entry : event["data"]["entries"].items()) {
      out = entry["status"].asString() == "active" ? entry["text"].asString() : out;
    }
  }
  return out;
}

/// Empty when nothing keeps the thread back, or nobody can say what.
std::string keptBackBy(Api& api, const Json& thread) {
  const auto& runtime = thread["runtime"];
  const std::string_view shown = runtime["displayStatus"].asString();
  if (shown == "host-reconnecting") {
    return "its machine, which is away" +
           (runtime["hostReconnectGraceExpiresAt"].isNull()
                ? std::string()
                : "; what runs ends when it is not back by " +
                      formatTime(runtime["hostReconnectGraceExpiresAt"].asInteger()));
  }
  if (shown == "waiting-for-host") {
    return "its machine, which is not connected";
  }
  if (shown == "provisioning") {
    const auto told = api.get(
        withQuery("/threads/" + percentEncode(thread["id"].asString()) + "/events",
                  {{"types", "system/thread-provisioning"}, {"order", "desc"}, {"limit", "1"}}));
    return told ? stepUnderWay(told.value().json["events"]) : std::string();
  }
  return thread["hasPendingInteraction"].asBool()
             ? fmt::format("an answer (`svc thread interactions {}`)", thread["id"].asString())
             : std::string();
}

std::string inQueue(Api& api, const Json& thread) {
  const auto listed =
      api.get("/threads/" + percentEncode(thread["id"].asString()) + "/queued-messages");
  if (!listed || listed.value().json["queuedMessages"].items().empty()) {
    return {};
  }
  const auto& rows = listed.value().json["queuedMessages"].items();
  auto first = waitsFor(rows.front());
  if (first.empty() && thread["status"].asString() == "error") {
    first = kWaitsAfterFailure;
  }
  return fmt::format("{} message{}{}{}", rows.size(), rows.size() == 1 ? "" : "s",
                     first.empty()      ? ""
                     : rows.size() == 1 ? ", which waits for "
                                        : ", the first waits for ",
                     first);
}

std::string threadFacts(const Console& console, Api& api, const Json& thread) {
  Table facts;
  facts.add({"title", threadTitle(thread)});
  facts.add({"id", thread["id"].asString()});
  facts.add({"state", threadState(thread)});
  addThreadFact(facts, "waits for", keptBackBy(api, thread));
  addThreadFact(facts, "queue", inQueue(api, thread));
  facts.add({"agent", thread["providerId"].asString()});
  facts.add({"project", thread["projectId"].asString()});
  addThreadFact(facts, "environment", thread["environmentId"].asString());
  addThreadFact(facts, "branch", thread["environmentBranchName"].asString());
  addThreadFact(facts, "parent", thread["parentThreadId"].asString());
  addThreadFact(facts, "copied from", thread["sourceThreadId"].asString());
  addThreadFact(facts, "started by plugin", thread["originPluginId"].asString());
  addThreadFact(facts, "visibility", thread["visibility"].asString() == "hidden" ? "hidden" : "");
  facts.add({"created", console.time(thread["createdAt"].asInteger())});
  facts.add({"changed", console.time(thread["updatedAt"].asInteger())});
  return facts.render(layoutFor(console));
}

}  // namespace

int threadShow(Context& context, const std::string& thread) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  return ask(context, api.value(), {"GET", threadPath(thread), ""}, [&](const Json& envelope) {
    console.out << threadFacts(console, api.value(), envelope["thread"]);
  });
}

}  // namespace svc::client
