#include "commands/thread.h"

#include <ostream>

#include <fmt/format.h>

#include "svc/common/limits/http.h"

#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr Errc kMessageTooLarge{"too_large"};

std::string threadTable(const Console& console, const Json& threads) {
  Table table;
  table.add({"ID", "STATE", "AGENT", "TITLE", "BRANCH", "LAST"});
  for (const auto& thread : threads.items()) {
    table.add({thread["id"].asString(), threadState(thread), thread["providerId"].asString(),
               threadTitle(thread), thread["environmentBranchName"].asString(),
               console.time(thread["updatedAt"].asInteger())});
  }
  return table.render(layoutFor(console));
}

/// A command that posts nothing but the wish and says what has become of the thread.
int change(Context& context, const std::string& thread, const char* route, const char* done) {
  return askServer(context, {"POST", threadPath(thread, route), "{}"}, [&](const Json& envelope) {
    const auto& record = envelope["thread"];
    context.console.out << done << ' '
                        << (record.isObject() ? threadLabel(record) : oneLine(thread)) << ".\n";
  });
}

/// A page that is full may not be all of it.
void tellOfMoreThreads(const Console& console, const ThreadListOptions& options,
                       std::size_t shown) {
  constexpr std::size_t kPage = 1000;  // of the server, where nothing else is asked for
  if (shown >= (options.limit == 0 ? kPage : static_cast<std::size_t>(options.limit))) {
    console.err << fmt::format("There may be more: --skip {} goes on.\n",
                               static_cast<std::size_t>(options.skip) + shown);
  }
}

void showMatches(const Console& console, const Json& group, const char* note) {
  for (const auto& result : group["results"].items()) {
    console.out << threadLabel(result["thread"]) << note << '\n';
    for (const auto& match : result["matches"].items()) {
      console.out << "  " << oneLine(match["text"].asString()) << '\n';
    }
  }
}

/// Threads that were found and are not shown.
std::int64_t leftOf(const Json& group) {
  return group["total"].asInteger() - static_cast<std::int64_t>(group["results"].items().size());
}

}  // namespace

std::string threadPath(const std::string& thread, const std::string& rest) {
  return "/api/v1/threads/" + percentEncode(thread) + rest;
}

bool isOwnAgent(const Context& context, std::string_view thread) {
  const auto& environment = context.environment;
  return !environment.variable("SVC_THREAD_TOKEN").value_or("").empty() &&
         environment.variable("SVC_THREAD_ID") == thread;
}

int askServer(Context& context, const HttpRequest& request,
              const std::function<void(const Json& envelope)>& show) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  return api ? ask(context, api.value(), request, show)
             : reportNoAnswer(context.console, api.error());
}

std::string threadTitle(const Json& thread) {
  const auto& title = thread["title"].asString();
  if (!title.empty()) {
    return title;
  }
  // A fork without a title of its own began as its source did.
  const auto& began = thread["titleFallback"].asString();
  return thread["originKind"].asString() == "fork" ? "Fork of " + began : began;
}

std::string threadState(const Json& thread) {
  const auto& shown = thread["runtime"]["displayStatus"].asString();
  auto status = shown.empty() ? thread["status"].asString() : shown;
  if (thread["hasPendingInteraction"].asBool()) {
    status += ", asks";
  }
  return thread["archivedAt"].isNull() ? status : status + ", archived";
}

std::string threadLabel(const Json& thread) {
  return fmt::format("{} ({})", oneLine(threadTitle(thread)), oneLine(thread["id"].asString()));
}

int failMessage(const Console& console, const Error& error) {
  console.fail(error,
               error.code == kMessageTooLarge
                   ? "write it to a file that the agent can read, and name the file in the message"
                   : "give it as an argument, or - and pipe it in");
  return kExitUsage;
}

Result<std::string> readMessage(const Console& console, const std::vector<std::string>& words) {
  std::string text;
  if (words == std::vector<std::string>{"-"} || (words.empty() && !console.in_terminal)) {
    text = readWhole(console.in).value_or("");
  }
  if (text.empty() && words != std::vector<std::string>{"-"}) {
    for (const auto& word : words) {
      text += (text.empty() ? "" : " ") + word;
    }
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{codes::kUsage, "there is no message"};
  }
  if (!common::isUtf8(text)) {
    return Error{codes::kUsage, "the message is not UTF-8 text"};
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  if (text.size() > limits::kRpcBody) {
    return Error{
        kMessageTooLarge,
        fmt::format("the message has {} bytes, the server takes {} at most (limit rpcBody)",
                    text.size(), limits::kRpcBody)};
  }
  return text;
}

int threadList(Context& context, const ThreadListOptions& options) {
  const auto& console = context.console;
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  auto& api = opened.value();
  const auto list = [&](const std::string& project_id) {
    const auto path = withQuery(
        "/api/v1/threads", {{"projectId", project_id},
                            {"parentThreadId", options.parent},
                            {"archived", options.archived ? "true" : "false"},
                            {"includeHidden", options.hidden ? "true" : ""},
                            {"limit", options.limit == 0 ? "" : std::to_string(options.limit)},
                            {"offset", options.skip == 0 ? "" : std::to_string(options.skip)}});
    return ask(context, api, {"GET", path, ""}, [&](const Json& envelope) {
      if (envelope["threads"].items().empty()) {
        console.err << (options.skip > 0 ? "There are no more threads.\n"
                                         : "There are no such threads. `svc thread start "
                                           "<message>` starts one.\n");
        return;
      }
      console.out << threadTable(console, envelope["threads"]);
      tellOfMoreThreads(console, options, envelope["threads"].items().size());
    });
  };
  if (!options.parent.empty()) {
    // The list of a parent that is not there is an empty one.
    const auto parent = api.get("/threads/" + percentEncode(options.parent));
    if (!parent) {
      return reportNoAnswer(console, parent.error());
    }
    if (!parent.value().ok()) {
      return reportFailure(console, parent.value());
    }
  }
  return options.project.empty()
             ? list({})
             : findRecord(context, api, kProjectRecords, options.project,
                          [&](const Json& project) { return list(project["id"].asString()); });
}

int threadSearch(Context& context, const ThreadSearchOptions& options) {
  const auto& console = context.console;
  const auto path =
      withQuery("/api/v1/threads/search",
                {{"query", options.query},
                 {"limitPerGroup", options.limit == 0 ? "" : std::to_string(options.limit)}});
  return askServer(context, {"GET", path, ""}, [&](const Json& envelope) {
    showMatches(console, envelope["active"], "");
    showMatches(console, envelope["archived"], ", archived");
    if (envelope["active"]["results"].items().empty() &&
        envelope["archived"]["results"].items().empty()) {
      console.err << "Nothing was found.\n";
    }
    const auto left = leftOf(envelope["active"]) + leftOf(envelope["archived"]);
    if (left > 0) {
      console.err << fmt::format(
          "There are {} more: raise --limit (up to 100), or look for more "
          "of the text.\n",
          left);
    }
  });
}

int threadStop(Context& context, const std::string& thread) {
  return change(context, thread, "/stop", "Stopped");
}

int threadUnarchive(Context& context, const std::string& thread) {
  return change(context, thread, "/unarchive", "Unarchived");
}

int threadArchive(Context& context, const std::string& thread) {
  return askServer(context, {"POST", threadPath(thread, "/archive"), "{}"},
                   [&](const Json& envelope) {
                     const auto& ids = envelope["archivedThreadIds"].items();
                     for (const auto& id : ids) {
                       context.console.out << "Archived " << oneLine(id.asString()) << ".\n";
                     }
                     if (ids.empty()) {
                       context.console.err << "It is archived already.\n";
                     }
                   });
}

int threadDelete(Context& context, const std::string& thread, bool yes) {
  const auto& console = context.console;
  if (!yes && !console.in_terminal) {
    console.fail(Error{codes::kRefused, "nothing was deleted: it was not confirmed"},
                 "run it on a terminal, or add --yes");
    return kExitRefused;
  }
  auto opened = Api::open(context.choice, context.environment, context.connector);
  if (!opened) {
    return reportNoAnswer(console, opened.error());
  }
  auto& api = opened.value();
  const auto summary = api.get("/threads/" + percentEncode(thread) + "/child-summary");
  if (!summary) {
    return reportNoAnswer(console, summary.error());
  }
  if (!summary.value().ok()) {
    return reportFailure(console, summary.value());
  }
  const auto children = summary.value().json["nonDeletedChildCount"].asInteger();
  const auto also = children == 0   ? std::string()
                    : children == 1 ? " and the thread below it"
                                    : fmt::format(" and the {} threads below it", children);
  if (!yes && !console.confirm("This deletes " + oneLine(thread) + also +
                               " with all that was said. Continue? [y/N]")) {
    console.fail(Error{codes::kRefused, "nothing was deleted"});
    return kExitRefused;
  }
  const auto path = threadPath(thread, "?childThreadsConfirmed=true");
  return ask(context, api, {"DELETE", path, ""}, [&](const Json& /*envelope*/) {
    console.out << "Deleted " << oneLine(thread) << also << ".\n";
  });
}

int threadUpdate(Context& context, const std::string& thread, const ThreadChange& wanted) {
  const auto& console = context.console;
  auto body = Json::object();
  for (const auto& [member, value] :
       {std::pair("title", &wanted.title), std::pair("sectionId", &wanted.section),
        std::pair("model", &wanted.model), std::pair("reasoningLevel", &wanted.reasoning)}) {
    if (*value) {
      body.set(member, (*value)->empty() ? Json() : Json(**value));
    }
  }
  if (body.members().empty()) {
    console.fail(Error{codes::kUsage, "nothing to change"},
                 "give --title, --section, --model or --reasoning");
    return kExitUsage;
  }
  return askServer(context, {"PATCH", threadPath(thread), body.dump()}, [&](const Json& envelope) {
    console.out << "Changed " << threadLabel(envelope["thread"]) << ".\n";
  });
}

int threadOutput(Context& context, const std::string& thread) {
  const auto& console = context.console;
  return askServer(context, {"GET", threadPath(thread, "/output"), ""}, [&](const Json& envelope) {
    const auto& output = envelope["output"].asString();
    if (output.empty()) {
      console.err << "The agent has said nothing yet.\n";
      return;
    }
    console.out << manyLines(output) << '\n';
  });
}

namespace {

/// A page that is full may not be all of it.
void tellOfMore(const Console& console, const ThreadEventOptions& options,
                const std::vector<Json>& events) {
  constexpr std::size_t kPage = 100;  // of the server, where nothing else is asked for
  if (events.size() < (options.limit == 0 ? kPage : static_cast<std::size_t>(options.limit))) {
    return;
  }
  const auto last = events.back()["seq"].asInteger();
  console.err << (options.newest
                      ? fmt::format("These are the newest {}; --limit (up to 1000) shows more.\n",
                                    events.size())
                      : fmt::format("These are {} at most: --after {} goes on, --newest begins at "
                                    "the end, --limit (up to 1000) shows more.\n",
                                    events.size(), last));
}

}  // namespace

int threadEvents(Context& context, const ThreadEventOptions& options) {
  const auto& console = context.console;
  std::string types;
  for (const auto& type : options.types) {
    types += (types.empty() ? "" : ",") + type;
  }
  const auto path =
      withQuery(threadPath(options.thread, "/events"),
                {{"afterSeq", options.after == 0 ? "" : std::to_string(options.after)},
                 {"limit", options.limit == 0 ? "" : std::to_string(options.limit)},
                 {"types", types},
                 {"order", options.newest ? "desc" : ""}});
  return askServer(context, {"GET", path, ""}, [&](const Json& envelope) {
    Table table;
    table.add({"SEQ", "TIME", "TYPE", "DATA"});
    for (const auto& event : envelope["events"].items()) {
      auto data = event["data"].dump();
      constexpr std::size_t kShown = 100;
      if (console.out_terminal && data.size() > kShown) {
        data = firstLine(data.substr(0, kShown)) + "…";
      }
      table.add({std::to_string(event["seq"].asInteger()),
                 formatTime(event["createdAt"].asInteger()), event["type"].asString(), data});
    }
    const auto& events = envelope["events"].items();
    if (events.empty()) {
      console.err << "There are no such events.\n";
      return;
    }
    console.out << table.render(layoutFor(console));
    tellOfMore(console, options, events);
  });
}

}  // namespace svc::client
