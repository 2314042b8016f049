#include "agent_starter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::agentd {
namespace {

bool isProgram(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Status checkPlace(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == EACCES
               ? Error{errc::kForbidden, fmt::format("no permission to enter {}", path)}
               : Error{errc::kUnknownPath, fmt::format("the folder {} is not there", path)};
  }
  return S_ISDIR(status.st_mode)
             ? Status()
             : Error{errc::kInvalidInput, fmt::format("{} is not a directory", path)};
}

}  // namespace

std::vector<std::string> argumentsOf(const Preset& preset) {
  std::istringstream words{std::string(preset.arguments)};
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) {
    arguments.push_back(word);
  }
  return arguments;
}

std::string AgentStarter::tool() const {
  auto own = (bin_ / "svc").string();
  return isProgram(own) ? own : std::string();
}

void AgentStarter::endLeftovers() {
  std::call_once(cleaned_, [this] { marks_.endLeftovers(); });
}

void AgentStarter::forget(const std::string& mark) { marks_.remove(mark); }

std::string AgentStarter::find(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    return command.starts_with('/') && isProgram(command) ? command : std::string();
  }
  std::istringstream path(login_path_.get());
  for (std::string directory; std::getline(path, directory, ':');) {
    if (auto program = directory + "/" + command;
        directory.starts_with('/') && isProgram(program)) {
      return program;
    }
  }
  return {};
}

base::Environment AgentStarter::environment() {
  return base::cleanEnvironment(own_, login_path_.get());
}

Result<SpawnedAgent> AgentStarter::start(const SessionRequest& request, const Preset* preset,
                                         const std::string& server_url) {
  endLeftovers();
  const auto command =
      request.command.empty() && preset != nullptr ? std::string(preset->command) : request.command;
  if (command.empty()) {
    return Error{errc::kNotFound,
                 fmt::format("there is no agent \"{}\"; configure it (agents.{}.command)",
                             request.provider_id, request.provider_id)};
  }
  AgentProgram program;
  program.argv.push_back(find(command));
  if (program.argv.front().empty()) {
    return Error{
        errc::kConflict,
        preset != nullptr && request.command.empty()
            ? fmt::format("{} is not installed on this machine: {}", command, preset->install_hint)
            : fmt::format("there is no program {} on this machine", command)};
  }
  const auto words =
      request.command.empty() && preset != nullptr ? argumentsOf(*preset) : request.args;
  program.argv.insert(program.argv.end(), words.begin(), words.end());
  if (auto checked = checkPlace(request.cwd); !checked) {
    return std::move(checked).error();
  }
  program.cwd = request.cwd;
  program.environment = environment();
  if (const auto own = tool(); !own.empty()) {
    program.environment["SVC_CLI"] = own;
    program.environment["PATH"] += ":" + bin_.string();
  }
  if (!server_url.empty()) {
    program.environment["SVC_SERVER_URL"] = server_url;
  }
  if (preset != nullptr && !preset->variable.empty()) {
    const auto equals = preset->variable.find('=');
    program.environment[std::string(preset->variable.substr(0, equals))] =
        preset->variable.substr(equals + 1);
  }
  for (const auto& [variable, value] : request.environment) {
    program.environment[variable] = value;
  }
  auto mark = marks_.add();
  if (!mark) {
    return std::move(mark).error();
  }
  program.mark = std::move(mark).value();
  auto spawned = spawnAgent(program);
  if (!spawned) {
    forget(program.mark);
  }
  return spawned;
}

}  // namespace svc::agentd
