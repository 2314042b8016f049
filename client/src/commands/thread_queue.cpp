#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/thread.h"
#include "exit_code.h"
#include "text.h"
#include "threads/interaction_form.h"

namespace svc::client {
namespace {

using common::Json;

std::string contentOf(const Json& message) {
  std::string out;
  for (const auto& block : message["content"].items()) {
    const auto& text = block["text"].asString();
    out += (out.empty() ? "" : " ") + (text.empty() ? "[" + block["type"].asString() + "]" : text);
  }
  return out;
}

std::string queuePath(const std::string& thread, const std::string& message = {},
                      const char* rest = "") {
  return threadPath(
      thread, "/queued-messages" + (message.empty() ? "" : "/" + percentEncode(message)) + rest);
}

Json asInput(const std::string& text) {
  return Json(Json::Array{Json::object().set("type", "text").set("text", text)});
}

/// `nothing`: what a message waits for that waits for nothing of its own.
std::string queueTable(const Console& console, const Json& messages,
                       const std::string& nothing = {}) {
  Table table;
  table.add({"ID", "WAITS FOR", "MESSAGE"});
  for (const auto& message : messages.items()) {
    auto waits = waitsFor(message);
    table.add(
        {message["id"].asString(), waits.empty() ? nothing : std::move(waits), contentOf(message)});
  }
  return table.render(layoutFor(console));
}

/// The queue, and where the message is in it.
int withQueued(Context& context, const std::string& thread, const std::string& wanted,
               const std::function<int(Api& api, const Json& queue, std::size_t at)>& use) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(context.console, api.error());
  }
  const auto listed = api.value().get("/threads/" + percentEncode(thread) + "/queued-messages");
  if (!listed) {
    return reportNoAnswer(context.console, listed.error());
  }
  if (!listed.value().ok()) {
    return reportFailure(context.console, listed.value());
  }
  const auto& queue = listed.value().json["queuedMessages"];
  const auto& items = queue.items();
  for (std::size_t at = 0; at < items.size(); ++at) {
    if (items[at]["id"].asString() == wanted) {
      return use(api.value(), queue, at);
    }
  }
  context.console.fail(
      Error{errc::kNotFound, fmt::format("no message \"{}\" waits there", oneLine(wanted))},
      "`svc thread queue list` shows those that wait; one that is sent is no longer there");
  return kExitNotFound;
}

}  // namespace

std::string waitsFor(const Json& message) {
  const auto& waiting = message["waitingOn"];
  const std::string_view kind = waiting["kind"].asString();
  // A time that is over is nothing to wait for.
  if ((kind == "time" || kind == "plugin") && !message["sendAt"].isNull()) {
    return formatTime(message["sendAt"].asInteger());
  }
  return kind == "plugin"
             ? fmt::format("{}: {}", waiting["pluginId"].asString(), waiting["reason"].asString())
         : kind == "thread-busy"  ? "the running turn"
         : kind == "provisioning" ? "the agent to begin"
         : kind == "interaction"  ? "an answer"
                                  : std::string(kind);
}

int threadQueueList(Context& context, const std::string& thread) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  return ask(context, api.value(), {"GET", queuePath(thread), ""}, [&](const Json& envelope) {
    const auto& rows = envelope["queuedMessages"].items();
    if (rows.empty()) {
      console.err << "No message waits.\n";
      return;
    }
    const bool unexplained = std::any_of(rows.begin(), rows.end(),
                                         [](const Json& row) { return waitsFor(row).empty(); });
    const auto shown =
        unexplained ? api.value().get("/threads/" + percentEncode(thread)) : Result<Reply>(Reply{});
    const bool failed = shown && shown.value().json["thread"]["status"].asString() == "error";
    console.out << queueTable(console, envelope["queuedMessages"],
                              failed ? std::string(kWaitsAfterFailure) : std::string());
  });
}

int threadQueueAdd(Context& context, const std::string& thread,
                   const std::vector<std::string>& words) {
  const auto text = readMessage(context.console, words);
  if (!text) {
    return failMessage(context.console, text.error());
  }
  const auto body = Json::object().set("input", asInput(text.value())).dump();
  return askServer(context, {"POST", queuePath(thread), body}, [&](const Json& envelope) {
    context.console.out << "Queued " << oneLine(envelope["queuedMessage"]["id"].asString())
                        << ".\n";
  });
}

int threadQueueEdit(Context& context, const std::string& thread, const std::string& message,
                    const std::vector<std::string>& words) {
  const auto text = readMessage(context.console, words);
  if (!text) {
    return failMessage(context.console, text.error());
  }
  return withQueued(context, thread, message, [&](Api& api, const Json& queue, std::size_t at) {
    const auto body = Json::object()
                          .set("input", asInput(text.value()))
                          .set("expectedUpdatedAt", queue.items()[at]["updatedAt"])
                          .dump();
    return ask(context, api, {"PATCH", queuePath(thread, message), body},
               [&](const Json& /*envelope*/) {
                 context.console.out << "Changed " << oneLine(message) << ".\n";
               });
  });
}

int threadQueueRemove(Context& context, const std::string& thread, const std::string& message) {
  return askServer(context, {"DELETE", queuePath(thread, message), ""},
                   [&](const Json& /*envelope*/) {
                     context.console.out << "Removed " << oneLine(message) << ".\n";
                   });
}

int threadQueueSend(Context& context, const std::string& thread, const std::string& message,
                    bool steer) {
  const auto body = Json::object().set("mode", steer ? "steer" : "auto").dump();
  return askServer(context, {"POST", queuePath(thread, message, "/send"), body},
                   [&](const Json& /*envelope*/) {
                     context.console.out << "Sent " << oneLine(message) << ".\n";
                   });
}

int threadQueueMove(Context& context, const std::string& thread, const std::string& message,
                    const std::string& behind) {
  return withQueued(context, thread, message, [&](Api& api, const Json& queue, std::size_t at) {
    std::vector<Json> others;
    for (std::size_t i = 0; i < queue.items().size(); ++i) {
      if (i != at) {
        others.push_back(queue.items()[i]["id"]);
      }
    }
    auto next = others.begin();
    if (!behind.empty()) {
      next = std::find(others.begin(), others.end(), Json(behind));
      if (next == others.end()) {
        context.console.fail(
            Error{errc::kNotFound, fmt::format("no other message \"{}\" waits", oneLine(behind))},
            "`svc thread queue list` shows those that wait");
        return static_cast<int>(kExitNotFound);
      }
      ++next;
    }
    const auto body =
        Json::object()
            .set("previousQueuedMessageId", next == others.begin() ? Json() : *(next - 1))
            .set("nextQueuedMessageId", next == others.end() ? Json() : *next)
            .dump();
    return ask(context, api, {"POST", queuePath(thread, message, "/reorder"), body},
               [&](const Json& envelope) {
                 context.console.out << queueTable(context.console, envelope["queuedMessages"]);
               });
  });
}

namespace {

/// Steps of a thread among which the one that waits for an answer is.
constexpr int kSteps = 200;

/// What the agent would change: an approval of files names its step only.
Json changesOf(Api& api, const std::string& thread, const Json& interaction) {
  const auto& subject = interaction["payload"]["subject"];
  if (subject["kind"].asString() != "file_change") {
    return {};
  }
  const auto reply = api.get(fmt::format(
      "/threads/{}/events?order=desc&types=item/started&limit={}", percentEncode(thread), kSteps));
  const auto events = reply && reply.value().ok() ? reply.value().json["events"] : Json::array();
  for (const auto& event : events.items()) {
    if (event["data"]["item"]["id"] == subject["itemId"]) {
      return event["data"]["item"]["changes"];
    }
  }
  return {};
}

}  // namespace

int threadInteractions(Context& context, const std::string& thread) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  return ask(context, api.value(), {"GET", threadPath(thread, "/interactions"), ""},
             [&](const Json& envelope) {
               const auto& open = envelope["interactions"].items();
               if (open.empty()) {
                 console.err << "Nothing is asked.\n";
               }
               for (const auto& each : open) {
                 InteractionForm form(each);
                 form.show(changesOf(api.value(), thread, each));
                 console.out << oneLine(form.id()) << '\n'
                             << form.description() << '\n'
                             << form.prompts() << '\n';
                 console.err << fmt::format("hint: `svc thread answer {} {} {}`\n", oneLine(thread),
                                            oneLine(form.id()), form.example());
               }
             });
}

int threadAnswer(Context& context, const ThreadAnswerOptions& options) {
  const auto& console = context.console;
  if (isOwnAgent(context, options.thread)) {
    console.fail(Error{codes::kRefused, "an agent does not answer what it has asked itself"},
                 "the person it works for answers, in the window or in a terminal");
    return kExitRefused;
  }
  const auto path = "/interactions/" + percentEncode(options.interaction);
  if (options.cancel) {
    return askServer(context, {"POST", threadPath(options.thread, path + "/cancel"), "{}"},
                     [&](const Json& /*envelope*/) {
                       console.out << "Cancelled " << oneLine(options.interaction) << ".\n";
                     });
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto asked = api.value().get("/threads/" + percentEncode(options.thread) + path);
  if (!asked) {
    return reportNoAnswer(console, asked.error());
  }
  if (!asked.value().ok()) {
    return reportFailure(console, asked.value(),
                         "`svc thread interactions <thread>` shows what is asked");
  }
  InteractionForm form(asked.value().json["interaction"]);
  Status taken;
  for (const auto& answer : options.answers) {
    taken = taken ? form.take(answer) : taken;
  }
  if (!taken || !form.done()) {
    console.fail(
        Error{codes::kUsage,
              taken ? "there are fewer answers than questions" : taken.error().message},
        fmt::format("{}\n{}\n`svc thread answer {} {} {}`", form.description(), form.prompts(),
                    oneLine(options.thread), oneLine(form.id()), form.example()));
    return kExitUsage;
  }
  return ask(
      context, api.value(),
      {"POST", threadPath(options.thread, path + "/" + form.route()), form.body().dump()},
      [&](const Json& /*envelope*/) { console.out << "Answered " << oneLine(form.id()) << ".\n"; });
}

}  // namespace svc::client
