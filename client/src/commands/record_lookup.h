#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/json.h"

#include "api.h"
#include "dispatch.h"
#include "table.h"

namespace svc::client {

/// Records that people name by id or by name.
struct RecordKind {
  const char* path;     ///< of the list, after /api/v1
  const char* member;   ///< of the answer that has them
  const char* noun;     ///< "machine"
  const char* command;  ///< shows them all
};
inline constexpr RecordKind kMachineRecords{"/hosts", "hosts", "machine", "svc machine list"};
inline constexpr RecordKind kProjectRecords{"/projects?includePersonal=true", "projects", "project",
                                            "svc project list"};
inline constexpr RecordKind kEnvironmentRecords{"/environments", "environments", "environment",
                                                "svc environment list"};

/// Finds the one with this id, or else this name, and hands it to `use`. What goes wrong is reported; returns the exit code.
[[nodiscard]] int findRecord(const Context& context, Api& api, const RecordKind& kind,
                             const std::string& wanted,
                             const std::function<int(const common::Json& record)>& use);
/// The same, with the server that is to be asked.
[[nodiscard]] int withRecord(Context& context, const RecordKind& kind, const std::string& wanted,
                             const std::function<int(Api& api, const common::Json& record)>& use);

/// Sends one request; a good answer is printed by `show`, or as it is with --json.
[[nodiscard]] int ask(const Context& context, Api& api, const HttpRequest& request,
                      const std::function<void(const common::Json& envelope)>& show);

/// The path with those parameters that are not empty.
using Parameters = std::vector<std::pair<const char*, std::string>>;
[[nodiscard]] std::string withQuery(std::string path, const Parameters& parameters);

/// Names of machines by their ids; empty where the server does not say, so that tables show the ids.
using MachineNames = std::map<std::string, std::string>;
[[nodiscard]] MachineNames machineNames(Api& api);
[[nodiscard]] std::string machineName(const MachineNames& machines, const std::string& id);
/// Hands on the machine with this id or name, or the server's own when it is empty.
[[nodiscard]] int withMachine(const Context& context, Api& api, const std::string& wanted,
                              const std::function<int(const common::Json& host)>& use);
/// A path as the machine (id or name; empty = the server's own) is to read it: a relative one is of this directory, which only the server's
/// own machine may share.
[[nodiscard]] std::string pathOn(const Context& context, const std::string& machine,
                                 const std::string& path);

}  // namespace svc::client
