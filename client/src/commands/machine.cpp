#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/record_lookup.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr std::int64_t kMinuteMs = 60'000;

std::string timeOr(const Console& console, const Json& time, const char* never) {
  return time.isNumber() ? console.time(time.asInteger()) : never;
}

std::string machineTable(const Json& hosts, const Console& console) {
  Table table;
  table.add({"NAME", "STATE", "ROLE", "LAST SEEN", "ID", "MESSAGE"});
  for (const auto& host : hosts.items()) {
    table.add({host["name"].asString(), host["state"].asString(), host["role"].asString(),
               timeOr(console, host["lastSeenAt"], "never"), host["id"].asString(),
               host["stateMessage"].asString()});
  }
  return table.render(layoutFor(console));
}

std::string machineFacts(const Json& host, const Console& console) {
  const auto& state = host["state"].asString();
  const auto& message = host["stateMessage"].asString();
  Table table;
  table.add({"name", host["name"].asString()});
  table.add({"id", host["id"].asString()});
  table.add({"role", host["role"].asString() == "server" ? "the server's own machine" : "machine"});
  table.add({"type", host["type"].asString()});
  table.add({"state", message.empty() && state == "available"
                          ? "available: its host daemon is connected"
                          : state + (message.empty() ? "" : ": " + message)});
  table.add({"last seen", timeOr(console, host["lastSeenAt"], "never")});
  if (host["lastRejectedProtocolVersion"].isNumber()) {
    table.add({"refused", fmt::format("protocol version {}",
                                      host["lastRejectedProtocolVersion"].asInteger())});
  }
  table.add({"enrolled", timeOr(console, host["createdAt"], "-")});
  return table.render(layoutFor(console));
}

int withMachine(Context& context, const std::string& wanted,
                const std::function<int(Api& api, const Json& host)>& use) {
  return withRecord(context, kMachineRecords, wanted, use);
}

std::string hostPath(const Json& host) {
  return "/api/v1/hosts/" + percentEncode(host["id"].asString());
}

std::string counted(std::size_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// What cannot go on without the machine, as a sentence; empty when there is nothing, or when it cannot be asked.
std::string worksOn(Api& api, const std::string& host_id) {
  const auto count = [&](const char* path, const char* member, const auto& fits) {
    const auto reply = api.get(path);
    const auto& all = reply && reply.value().ok() ? reply.value().json[member] : Json();
    const auto& items = all.items();
    return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), fits));
  };
  const auto environments = count("/environments", "environments", [&](const Json& each) {
    return each["hostId"].asString() == host_id && each["status"].asString() != "destroyed";
  });
  std::size_t running = 0;
  const auto threads =
      count("/threads?archived=false&includeHidden=true", "threads", [&](const Json& each) {
        const bool here = each["environmentHostId"].asString() == host_id;
        const auto& status = each["status"].asString();
        running += here && (status == "starting" || status == "active") ? 1 : 0;
        return here;
      });
  if (environments == 0 && threads == 0) {
    return {};
  }
  return fmt::format("{}{} and {} of it cannot go on. ", counted(threads, "thread"),
                     running == 0 ? "" : fmt::format(" ({} at work)", running),
                     counted(environments, "environment"));
}

bool isLoopbackUrl(const std::string& url) {
  return url.find("://127.") != std::string::npos ||
         url.find("://localhost") != std::string::npos || url.find("://[::1]") != std::string::npos;
}

/// One word of a shell.
std::string shellWord(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=[]";
  if (text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

void showJoin(const Context& context, const std::string& client_url, const Json& envelope) {
  const auto& console = context.console;
  const auto& public_url = envelope["serverUrl"].asString();
  // Whoever asks from elsewhere knows an address that works from elsewhere.
  const auto url = !isLoopbackUrl(client_url) || public_url.empty() ? client_url : public_url;
  const auto minutes =
      (envelope["expiresAt"].asInteger() - context.now() + kMinuteMs - 1) / kMinuteMs;
  console.err << fmt::format(
      "Run this on the machine, as the user the host entries are to run as. The code works once, "
      "for "
      "{} minute{}:\n",
      std::max<std::int64_t>(minutes, 0), minutes == 1 ? "" : "s");
  console.out << fmt::format("svc-hostd join --server {} --code {}\n", shellWord(oneLine(url)),
                             shellWord(oneLine(envelope["joinCode"].asString())));
  if (isLoopbackUrl(url)) {
    console.err << fmt::format(
        "\nAnother machine cannot reach {}: the server listens for its own machine only. Either "
        "put a "
        "proxy with TLS\nin front and set appUrl to its address, or set listen.host to 0.0.0.0 and "
        "listen.allowedHosts to the server's name,\nthen restart: `svc settings set <key> "
        "<value>`, "
        "`svc server restart`.\n",
        oneLine(url));
  }
}

}  // namespace

int machineList(Context& context) {
  return request(context, {"GET", "/api/v1/hosts", ""}, [&](const Json& envelope) {
    if (!context.console.json) {
      context.console.out << machineTable(envelope["hosts"], context.console);
    }
    return static_cast<int>(kExitOk);
  });
}

int machineShow(Context& context, const std::string& host) {
  return withMachine(context, host, [&](Api& api, const Json& found) {
    return ask(context, api, {"GET", hostPath(found), ""}, [&](const Json& envelope) {
      context.console.out << machineFacts(envelope["host"], context.console);
    });
  });
}

int machineEnroll(Context& context, const EnrollOptions& options) {
  auto body = Json::object();
  if (!options.name.empty()) {
    body.set("name", options.name);
  }
  const auto send = [&](Api& api) {
    return ask(context, api, {"POST", "/api/v1/hosts/join-codes", body.dump()},
               [&](const Json& envelope) { showJoin(context, api.address().url, envelope); });
  };
  if (!options.host.empty()) {
    return withMachine(context, options.host, [&](Api& api, const Json& found) {
      body.set("hostId", found["id"]);
      return send(api);
    });
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  return api ? send(api.value()) : reportNoAnswer(context.console, api.error());
}

int machineRename(Context& context, const std::string& host, const std::string& name) {
  return withMachine(context, host, [&](Api& api, const Json& found) {
    return ask(context, api, {"PATCH", hostPath(found), Json::object().set("name", name).dump()},
               [&](const Json& envelope) {
                 const auto& now = envelope["host"]["name"].asString();
                 context.console.out << "Renamed " << oneLine(found["name"].asString()) << " to "
                                     << oneLine(now) << ".\n";
                 if (now != name) {
                   context.console.err << "Another machine is called " << oneLine(name) << ".\n";
                 }
               });
  });
}

int machineRemove(Context& context, const std::string& host, bool yes) {
  const auto& console = context.console;
  if (!yes && !console.in_terminal) {
    console.fail(Error{codes::kRefused, "nothing was removed: it was not confirmed"},
                 "run it on a terminal, or add --yes");
    return kExitRefused;
  }
  return withMachine(context, host, [&](Api& api, const Json& found) {
    const auto name = oneLine(found["name"].asString());
    if (!yes && !console.confirm("This ends what plugins do on \"" + name +
                                 "\" and makes its key worthless. " +
                                 worksOn(api, found["id"].asString()) + "Continue? [y/N]")) {
      console.fail(Error{codes::kRefused, "nothing was removed"});
      return static_cast<int>(kExitRefused);
    }
    return ask(context, api, {"DELETE", hostPath(found), ""}, [&](const Json& /*envelope*/) {
      console.out << "Removed " << name << ".\n";
      console.err
          << (found["state"].asString() == "available"
                  ? "Its host daemon stops; what it stored stays on the machine.\n"
                  : "It is not connected: its host daemon and the agents there stop when it "
                    "reaches this server again; what it stored stays on the machine.\n");
    });
  });
}

int machineRetryUpdate(Context& context, const std::string& host) {
  return withMachine(context, host, [&](Api& api, const Json& found) {
    return ask(context, api, {"POST", hostPath(found) + "/retry-update", "{}"},
               [&](const Json& /*envelope*/) {
                 context.console.out << "An update of " << oneLine(found["name"].asString())
                                     << " that has failed may be tried again.\n";
                 context.console.err
                     << "The server cannot call a machine that is not connected: its daemon asks "
                        "within five minutes, and updates itself\nif it runs with --auto-update. "
                        "Started again there, svc-hostd asks at once.\n";
               });
  });
}

int machineProviders(Context& context) {
  return request(context, {"GET", "/api/v1/hosts/providers", ""}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& providers = envelope["providers"].items();
    if (providers.empty()) {
      console.err << "No plugin has registered a machine provider. `svc machine enroll` adds a "
                     "machine that exists.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add({"ID", "NAME", "PLUGIN", "STATE", "MESSAGE"});
    for (const auto& provider : providers) {
      table.add({provider["id"].asString(), provider["displayName"].asString(),
                 provider["pluginId"].asString(), provider["availability"]["status"].asString(),
                 provider["availability"]["message"].asString()});
    }
    console.out << table.render(layoutFor(console));
    return static_cast<int>(kExitOk);
  });
}

int machineCreate(Context& context, const std::string& provider) {
  auto body = Json::object();
  if (!provider.empty()) {
    body.set("providerId", provider);
  }
  return request(context, {"POST", "/api/v1/hosts", body.dump()},
                 [](const Json& /*envelope*/) { return static_cast<int>(kExitOk); });
}

int machineChange(Context& context, const std::string& host, const char* change) {
  return withMachine(context, host, [&](Api& api, const Json& found) {
    return ask(context, api, {"POST", hostPath(found) + "/" + change, "{}"},
               [](const Json& /*envelope*/) {});
  });
}

}  // namespace svc::client
