#include "service_unit.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/base/files.h"

#include "processes.h"

namespace svc::client {
namespace {

constexpr std::size_t kGroupFile = 64UL * 1024;

/// "0::/system.slice/svcd.service"; of hierarchies of their own, "1:name=systemd:/system.slice/svcd.service".
std::string_view pathOf(std::string_view line) {
  const auto second = line.find(':', line.find(':') + 1);
  return second == std::string_view::npos ? std::string_view() : line.substr(second + 1);
}

}  // namespace

std::vector<std::string> ServiceUnit::command(std::string_view verb) const {
  std::vector<std::string> words{"systemctl"};
  if (of_user) {
    words.emplace_back("--user");
  }
  words.insert(words.end(), {"--no-ask-password", std::string(verb), name});
  return words;
}

std::string ServiceUnit::shown(std::string_view verb) const {
  return fmt::format("{} {} {}", of_user ? "systemctl --user" : "sudo systemctl", verb, name);
}

std::optional<ServiceUnit> serviceUnit(const base::Environment& variables, std::string_view cgroup,
                                       int pid) {
  const auto started = variables.find("SYSTEMD_EXEC_PID");
  if (started == variables.end() || started->second != std::to_string(pid)) {
    return std::nullopt;
  }
  for (std::size_t begin = 0; begin < cgroup.size();) {
    const auto end = std::min(cgroup.find('\n', begin), cgroup.size());
    const auto path = pathOf(cgroup.substr(begin, end - begin));
    const auto name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(".service")) {
      return ServiceUnit{.name = std::string(name),
                         .of_user = path.find("/user@") != std::string_view::npos};
    }
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<ServiceUnit> serviceUnitOf(int pid) {
  const auto variables = variablesOf(pid);
  const auto cgroup = base::readFile(fmt::format("/proc/{}/cgroup", pid), kGroupFile);
  return variables && cgroup ? serviceUnit(*variables, cgroup.value(), pid) : std::nullopt;
}

}  // namespace svc::client
