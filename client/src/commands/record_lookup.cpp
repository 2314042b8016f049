#include "commands/record_lookup.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

int unknownRecord(const Console& console, const RecordKind& kind, const std::string& wanted,
                  const Json& records) {
  std::vector<std::string> names;
  for (const auto& record : records.items()) {
    names.push_back(record["name"].asString());
  }
  const auto nearest = nearestName(wanted, names);
  console.fail(
      Error{errc::kNotFound, fmt::format("there is no {} \"{}\"", kind.noun, oneLine(wanted))},
      nearest ? "did you mean \"" + oneLine(*nearest) + "\"?"
              : fmt::format("`{}` shows them", kind.command));
  return kExitNotFound;
}

}  // namespace

int findRecord(const Context& context, Api& api, const RecordKind& kind, const std::string& wanted,
               const std::function<int(const Json& record)>& use) {
  const auto& console = context.console;
  const auto listed = api.get(kind.path);
  if (!listed) {
    return reportNoAnswer(console, listed.error());
  }
  if (!listed.value().ok()) {
    return reportFailure(console, listed.value());
  }
  const auto& records = listed.value().json[kind.member].items();
  for (const char* const member : {"id", "name"}) {
    const auto is_wanted = [&](const Json& record) { return record[member].asString() == wanted; };
    const auto found = std::find_if(records.begin(), records.end(), is_wanted);
    if (found == records.end()) {
      continue;
    }
    if (std::find_if(found + 1, records.end(), is_wanted) != records.end()) {
      console.fail(Error{codes::kUsage, fmt::format("more than one {} is called \"{}\"", kind.noun,
                                                    oneLine(wanted))},
                   fmt::format("give its id: `{}` shows them", kind.command));
      return kExitUsage;
    }
    return use(*found);
  }
  return unknownRecord(console, kind, wanted, listed.value().json[kind.member]);
}

int withRecord(Context& context, const RecordKind& kind, const std::string& wanted,
               const std::function<int(Api& api, const Json& record)>& use) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(context.console, api.error());
  }
  return findRecord(context, api.value(), kind, wanted,
                    [&](const Json& record) { return use(api.value(), record); });
}

int ask(const Context& context, Api& api, const HttpRequest& request,
        const std::function<void(const Json& envelope)>& show) {
  const auto& console = context.console;
  const auto reply = api.call(request);
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    show(reply.value().json);
  }
  return kExitOk;
}

std::string withQuery(std::string path, const Parameters& parameters) {
  char separator = path.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : parameters) {
    if (!value.empty()) {
      path += fmt::format("{}{}={}", std::exchange(separator, '&'), name, percentEncode(value));
    }
  }
  return path;
}

MachineNames machineNames(Api& api) {
  MachineNames out;
  const auto listed = api.get("/hosts");
  if (listed && listed.value().ok()) {
    for (const auto& host : listed.value().json["hosts"].items()) {
      out[host["id"].asString()] = host["name"].asString();
    }
  }
  return out;
}

std::string machineName(const MachineNames& machines, const std::string& id) {
  const auto found = machines.find(id);
  return found == machines.end() ? id : found->second;
}

int withMachine(const Context& context, Api& api, const std::string& wanted,
                const std::function<int(const Json& host)>& use) {
  if (!wanted.empty()) {
    return findRecord(context, api, kMachineRecords, wanted, use);
  }
  const auto listed = api.get("/hosts");
  if (!listed) {
    return reportNoAnswer(context.console, listed.error());
  }
  if (!listed.value().ok()) {
    return reportFailure(context.console, listed.value());
  }
  for (const auto& host : listed.value().json["hosts"].items()) {
    if (host["role"].asString() == "server") {
      return use(host);
    }
  }
  context.console.fail(Error{errc::kNotFound, "the server knows no machine of its own"},
                       "name one with --machine");
  return kExitNotFound;
}

std::string pathOn(const Context& context, const std::string& machine, const std::string& path) {
  const bool is_whole = path.empty() || path.front() == '/' || path.front() == '~';
  return is_whole || !machine.empty()
             ? path
             : (context.environment.working_dir / path).lexically_normal().string();
}

}  // namespace svc::client
