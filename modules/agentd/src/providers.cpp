#include "providers.h"

#include <sys/stat.h>

#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/common/body_reader.h"
#include "svc/hostprotocol/agent_limits.h"

namespace svc::agentd {
namespace {

using common::Json;

constexpr std::size_t kVersionOutput = 4UL * 1024;
constexpr std::size_t kVersionLength = 40;
constexpr std::string_view kDigits = "0123456789";

Json orNull(std::string_view text) { return text.empty() ? Json() : Json(text); }

std::int64_t changeOf(const std::string& program) {
  struct stat status {};
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return ::stat(program.c_str(), &status) != 0
             ? 0
             : status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec;
}

}  // namespace

std::string versionIn(std::string_view text) {
  for (std::size_t at = 0; (at = text.find_first_of(kDigits, at)) != std::string_view::npos;) {
    const auto word = text.substr(at, text.find_first_of(" \t\r\n),;", at) - at);
    const auto dot = word.find_first_not_of(kDigits);
    if (dot != std::string_view::npos && word[dot] == '.' && dot + 1 < word.size() &&
        kDigits.find(word[dot + 1]) != std::string_view::npos && word.size() <= kVersionLength) {
      return std::string(word);
    }
    at += word.size();
  }
  return {};
}

void Providers::signedIn(const std::string& provider_id, bool yes) {
  const std::scoped_lock lock(mutex_);
  signed_in_[provider_id] = yes;
}

std::string Providers::signInOf(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = signed_in_.find(id);
  return found == signed_in_.end() ? "unknown" : found->second ? "signed-in" : "required";
}

Result<std::map<std::string, Providers::Agent>> Providers::wanted(const std::string& command) {
  auto parsed = common::BodyReader::parse(command);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& reader = parsed.value();
  std::map<std::string, Agent> agents;
  for (const auto& preset : presets()) {
    agents[std::string(preset.id)] = {.id = std::string(preset.id),
                                      .display_name = std::string(preset.display_name),
                                      .command = std::string(preset.command),
                                      .environment = {},
                                      .preset = &preset};
  }
  for (const auto& [id, configured] : reader.body()["agents"].members()) {
    auto& agent = agents[id];
    const auto& program = configured["command"].asString();
    if (program.empty()) {
      reader.issue("Expected { command, args?, env?, displayName? }", {Json("agents"), Json(id)});
    }
    agent.id = id;
    agent.command = program;
    agent.configured = true;
    if (const auto& shown = configured["displayName"].asString(); !shown.empty()) {
      agent.display_name = shown;
    } else if (agent.display_name.empty()) {
      agent.display_name = id;
    }
    for (const auto& [variable, value] : configured["env"].members()) {
      agent.environment[variable] = value.asString();
    }
  }
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return agents;
}

Result<std::string> Providers::list(const std::string& command) {
  auto agents = wanted(command);
  if (!agents) {
    return std::move(agents).error();
  }
  // Versions are for people: who asks does not wait long for them.
  const auto until = clock_.steadyNow() + 2 * limits::kAgentProbe;
  auto providers = Json::array();
  for (const auto& [id, agent] : agents.value()) {
    providers.push(describe(agent, until));
  }
  return Json::object().set("providers", std::move(providers)).dump();
}

Json Providers::describe(const Agent& agent, std::chrono::steady_clock::time_point until) {
  const auto program = starter_->find(agent.command);
  const bool known = agent.preset != nullptr && !agent.configured;
  auto modes = Json::object();
  for (const auto& [way, mode] :
       {std::pair("ask", &Preset::mode_ask), std::pair("all", &Preset::mode_all)}) {
    modes.set(way, agent.preset == nullptr ? Json() : orNull(agent.preset->*mode));
  }
  const bool by_path = agent.command.find('/') != std::string::npos;
  auto reason =
      !program.empty() ? std::string()
      : by_path        ? fmt::format("there is no program {} on this machine", agent.command)
                : fmt::format("{} is not on the PATH of this machine's login shell", agent.command);
  return Json::object()
      .set("id", agent.id)
      .set("displayName", agent.display_name)
      .set("available", !program.empty())
      .set("unavailableReason", orNull(reason))
      .set("program", orNull(program))
      .set("version", program.empty() ? Json() : orNull(versionOf(program, agent, until)))
      .set("signIn", signInOf(agent.id))
      .set("installHint", known ? orNull(agent.preset->install_hint) : Json())
      .set("modes", std::move(modes))
      .set("takesMcp", agent.preset == nullptr || agent.preset->takes_mcp)
      .set("configured", agent.configured);
}

std::string Providers::versionOf(const std::string& program, const Agent& agent,
                                 std::chrono::steady_clock::time_point until) {
  const auto changed = changeOf(program);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = versions_.find(program);
    if (found != versions_.end() && found->second.changed == changed) {
      return found->second.version;
    }
  }
  if (clock_.steadyNow() >= until) {
    return {};
  }
  auto environment = starter_->environment();
  for (const auto& [variable, value] : agent.environment) {
    environment[variable] = value;
  }
  base::RunOptions probe;
  probe.program.argv = {program, "--version"};
  probe.program.environment = std::move(environment);
  // Without a terminal it has nobody to ask.
  probe.program.group = base::ProcessGroup::kSession;
  probe.capture = base::Capture::kOutput;
  probe.output_limit = kVersionOutput;
  probe.overflow = base::Overflow::kKeepFirst;
  probe.time_limit = limits::kAgentProbe;
  const auto outcome = base::run(probe);
  auto version =
      outcome && outcome.value().status.ok() ? versionIn(outcome.value().out) : std::string();
  const std::scoped_lock lock(mutex_);
  versions_[program] = {.changed = changed, .version = version};
  return version;
}

}  // namespace svc::agentd
