#include <algorithm>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"

#include "attachment.h"
#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string terminalPath(const std::string& id, const char* action = "") {
  return "/api/v1/terminals/" + percentEncode(id) + action;
}

/// The terminal with this id, or the only one whose id begins so.
int withTerminal(Context& context, const std::string& wanted,
                 const std::function<int(const Json& terminal)>& use) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto listed = api.value().get("/terminals");
  if (!listed) {
    return reportNoAnswer(console, listed.error());
  }
  if (!listed.value().ok()) {
    return reportFailure(console, listed.value());
  }
  const Json* found = nullptr;
  int beginning = 0;
  for (const auto& terminal : listed.value().json["sessions"].items()) {
    const auto& id = terminal["id"].asString();
    if (id == wanted) {
      return use(terminal);
    }
    if (id.starts_with(wanted) || id.starts_with("term_" + wanted)) {
      found = &terminal;
      ++beginning;
    }
  }
  if (beginning == 1) {
    return use(*found);
  }
  console.fail(Error{errc::kNotFound, (beginning == 0 ? "there is no terminal \""
                                                      : "several terminals begin with \"") +
                                          oneLine(wanted) + "\""},
               "`svc terminal list` shows them");
  return kExitNotFound;
}

/// Sends a change of one terminal.
int change(Context& context, const TerminalOptions& options, const char* action, const Json& body,
           const std::function<void(const Json& terminal)>& show) {
  return withTerminal(context, options.id, [&](const Json& terminal) {
    return request(context, {"POST", terminalPath(terminal["id"].asString(), action), body.dump()},
                   [&](const Json& envelope) {
                     if (!context.console.json) {
                       show(envelope["terminal"]);
                     }
                     return static_cast<int>(kExitOk);
                   });
  });
}

std::string statusOf(const Json& terminal) {
  const auto& status = terminal["status"].asString();
  const auto& why = terminal["closeReason"].asString();
  if (terminal["exitCode"].isNumber()) {
    return fmt::format("{} ({})", oneLine(status), terminal["exitCode"].asInteger());
  }
  return oneLine(status) + (why.empty() ? "" : " (" + oneLine(why) + ")");
}

Json creation(const TerminalOptions& options, const std::string& host_id) {
  auto scope = Json::object().set("kind", "host_path");
  if (!host_id.empty()) {
    scope.set("hostId", host_id);
  }
  scope.set("cwd", options.cwd.empty() ? Json() : Json(options.cwd));
  const auto size = ownTerminalSize();
  auto body = Json::object()
                  .set("scope", std::move(scope))
                  .set("cols", size.columns)
                  .set("rows", size.rows);
  if (!options.title.empty()) {
    body.set("title", options.title);
  }
  if (!options.text.empty()) {
    body.set("start", Json::object().set("mode", "command").set("command", options.text));
  }
  return body;
}

}  // namespace

int terminalList(Context& context, const TerminalOptions& options) {
  const auto show = [&](const std::string& query) {
    return request(context, {"GET", "/api/v1/terminals" + query, ""}, [&](const Json& envelope) {
      const auto& console = context.console;
      const auto& sessions = envelope["sessions"].items();
      if (!console.json && sessions.empty()) {
        console.err << "There are no terminals. `svc terminal open` opens one.\n";
      } else if (!console.json) {
        Table table;
        table.add({"ID", "STATUS", "TITLE", "DIRECTORY", "HOST"});
        for (const auto& terminal : sessions) {
          table.add({terminal["id"].asString(), statusOf(terminal),
                     oneLine(terminal["title"].asString()),
                     oneLine(terminal["initialCwd"].asString()), terminal["hostId"].asString()});
        }
        console.out << table.render(layoutFor(console));
      }
      return static_cast<int>(kExitOk);
    });
  };
  if (options.host.empty()) {
    return show("");
  }
  return withRecord(context, kMachineRecords, options.host, [&](Api& /*api*/, const Json& host) {
    return show("?hostId=" + percentEncode(host["id"].asString()));
  });
}

int terminalShow(Context& context, const TerminalOptions& options) {
  return withTerminal(context, options.id, [&](const Json& found) {
    return request(
        context, {"GET", terminalPath(found["id"].asString()), ""}, [&](const Json& envelope) {
          const auto& console = context.console;
          if (!console.json) {
            const auto& terminal = envelope["terminal"];
            Table table;
            table.add({"id", terminal["id"].asString()});
            table.add({"title", oneLine(terminal["title"].asString())});
            table.add({"status", statusOf(terminal)});
            table.add({"directory", oneLine(terminal["initialCwd"].asString())});
            table.add({"size", fmt::format("{} columns, {} rows", terminal["cols"].asInteger(),
                                           terminal["rows"].asInteger())});
            table.add({"host", terminal["hostId"].asString()});
            table.add({"opened", console.time(terminal["createdAt"].asInteger())});
            console.out << table.render(layoutFor(console));
          }
          return static_cast<int>(kExitOk);
        });
  });
}

int terminalOpen(Context& context, const TerminalOptions& options) {
  const auto& console = context.console;
  const bool stays =
      options.detached || console.json || !console.in_terminal || !console.out_terminal;
  const auto open = [&](const std::string& host_id) {
    std::string id;
    const int code =
        request(context, {"POST", "/api/v1/terminals", creation(options, host_id).dump()},
                [&](const Json& envelope) {
                  id = envelope["terminal"]["id"].asString();
                  if (stays && !console.json) {
                    console.out << oneLine(id) << '\n';
                  }
                  return static_cast<int>(kExitOk);
                });
    return code != kExitOk || stays ? code : attach(context, id);
  };
  if (options.host.empty()) {
    return open("");
  }
  return withRecord(context, kMachineRecords, options.host,
                    [&](Api& /*api*/, const Json& host) { return open(host["id"].asString()); });
}

int terminalAttach(Context& context, const TerminalOptions& options) {
  const auto& console = context.console;
  if (!console.in_terminal || !console.out_terminal || console.json) {
    console.fail(Error{codes::kUsage, "attach needs a terminal"},
                 "`svc terminal send` and `svc terminal output` do without");
    return kExitUsage;
  }
  return withTerminal(context, options.id, [&](const Json& terminal) {
    return attach(context, terminal["id"].asString());
  });
}

int terminalOutput(Context& context, const TerminalOptions& options) {
  return withTerminal(context, options.id, [&](const Json& terminal) {
    const auto query = options.tail > 0 ? fmt::format("/output?tailBytes={}", options.tail)
                                        : std::string("/output");
    return request(context, {"GET", terminalPath(terminal["id"].asString(), query.c_str()), ""},
                   [&](const Json& envelope) {
                     const auto& console = context.console;
                     if (!console.json) {
                       std::string bytes;
                       for (const auto& chunk : envelope["chunks"].items()) {
                         bytes += hostprotocol::decodeBase64(chunk["dataBase64"].asString())
                                      .value_or(std::string{});
                       }
                       console.out << (console.out_terminal ? manyLines(bytes) : bytes);
                       if (envelope["truncated"].asBool()) {
                         console.err
                             << (bytes.empty() ? "What it has written is gone: the server was "
                                                 "started again since, or many have ended.\n"
                                               : "What was before is gone: 1 MiB is kept.\n");
                       }
                     }
                     return static_cast<int>(kExitOk);
                   });
  });
}

int terminalSend(Context& context, const TerminalOptions& options) {
  auto bytes = options.text;
  if (bytes.empty() && !context.console.in_terminal) {
    auto input = readWhole(context.console.in);
    if (!input) {
      context.console.fail(Error{codes::kUsage, "standard input cannot be read"},
                           "give the text as an argument, or pipe it in");
      return kExitUsage;
    }
    bytes = std::move(*input);
  } else if (!options.plain) {
    bytes += '\n';
  }
  if (bytes.empty()) {
    return withTerminal(context, options.id, [](const Json&) { return static_cast<int>(kExitOk); });
  }
  const auto code = [&](const std::string& part) {
    return change(context, options, "/input",
                  Json::object().set("dataBase64", hostprotocol::encodeBase64(part)),
                  [](const Json&) {});
  };
  for (std::size_t at = 0; at < bytes.size(); at += limits::kTerminalInput) {
    if (const int failed = code(bytes.substr(at, limits::kTerminalInput)); failed != kExitOk) {
      return failed;
    }
  }
  return kExitOk;
}

int terminalClose(Context& context, const TerminalOptions& options) {
  return change(
      context, options, "/close", Json::object().set("mode", options.force ? "force" : "if-clean"),
      [&](const Json& terminal) {
        context.console.out << "Closed " << oneLine(terminal["title"].asString()) << ".\n";
      });
}

int terminalRename(Context& context, const TerminalOptions& options) {
  return change(context, options, "/rename", Json::object().set("title", options.title),
                [&](const Json& terminal) {
                  context.console.out << "It is called " << oneLine(terminal["title"].asString())
                                      << " now.\n";
                });
}

int terminalRestart(Context& context, const TerminalOptions& options) {
  return change(context, options, "/restart", Json::object(), [&](const Json& terminal) {
    context.console.out << oneLine(terminal["id"].asString()) << '\n';
  });
}

}  // namespace svc::client
