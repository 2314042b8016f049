#include "command_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/reserved_names.h"

namespace svc::cli {
namespace {

constexpr std::string_view kReserved = "cli_command_reserved";
constexpr std::string_view kShadowed = "cli_command_shadowed";

}  // namespace

void CommandTable::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  main_thread_.check();
  descriptions_.clear();
  bool starting = false;
  for (const auto& record : records) {
    descriptions_[record.id] = record.description;
    starting = starting || (record.enabled && record.status == plugins::PluginStatus::kStarting);
  }
  settled_ = settled_ || (!records.empty() && !starting);
}

std::vector<Command> CommandTable::refresh() {
  main_thread_.check();
  const auto found = candidates();
  owners_ = decideOwners(found);
  std::vector<Command> commands;
  std::set<std::uint64_t> still_reported;
  for (const auto& candidate : found) {
    const auto owner = owners_.find(candidate.registration["name"].asString());
    const bool shadowed =
        owner == owners_.end() || owner->second != candidate.generation->pluginId();
    mark(candidate, shadowed);
    const auto load_id = candidate.generation->loadId();
    if (shadowed && !reported_.contains(load_id)) {
      report(candidate);
    }
    if (shadowed) {
      still_reported.insert(load_id);
    } else if (reported_.contains(load_id)) {
      candidate.generation->removeProblem(kReserved);
      candidate.generation->removeProblem(kShadowed);
    }
    commands.push_back(describe(candidate, shadowed));
  }
  reported_ = std::move(still_reported);
  return commands;
}

std::vector<CommandTable::Candidate> CommandTable::candidates() const {
  std::vector<Candidate> found;
  for (const auto& generation : loaded_.all()) {
    auto registration = generation->registration("cli");
    if (!registration.isNull()) {
      found.push_back({generation, std::move(registration)});
    }
  }
  return found;
}

std::map<std::string, std::string> CommandTable::decideOwners(
    const std::vector<Candidate>& candidates) const {
  std::map<std::string, std::string> owners;
  for (const auto& candidate : candidates) {
    const auto& name = candidate.registration["name"].asString();
    const auto& plugin_id = candidate.generation->pluginId();
    if (common::isCoreName(name)) {
      continue;
    }
    const auto holder = owners_.find(name);
    const bool keeps = settled_ && holder != owners_.end() && holder->second == plugin_id;
    if (keeps || !owners.contains(name)) {
      owners[name] = plugin_id;
    }
  }
  return owners;
}

void CommandTable::mark(const Candidate& candidate, bool shadowed) {
  if (candidate.registration["shadowed"].asBool() != shadowed) {
    auto changed = candidate.registration;
    changed.set("shadowed", shadowed);
    candidate.generation->setRegistration("cli", std::move(changed));
  }
}

void CommandTable::report(const Candidate& candidate) {
  const auto& name = candidate.registration["name"].asString();
  const auto owner = owners_.find(name);
  const auto holder =
      owner == owners_.end() ? std::string("the service") : "plugin \"" + owner->second + "\"";
  candidate.generation->addProblem(
      {std::string(owner == owners_.end() ? kReserved : kShadowed),
       fmt::format(
           "the command name \"{}\" belongs to {}; this plugin's command runs as svc plugin run {}",
           name, holder, candidate.generation->pluginId())});
}

Command CommandTable::describe(const Candidate& candidate, bool shadowed) const {
  const auto& registration = candidate.registration;
  Command command{.plugin_id = candidate.generation->pluginId(),
                  .name = registration["name"].asString(),
                  .summary = registration["summary"].asString(),
                  .commands = {},
                  .renders_help = registration["rendersHelp"].asBool(),
                  .shadowed = shadowed};
  if (command.summary.empty()) {
    const auto description = descriptions_.find(command.plugin_id);
    command.summary = description == descriptions_.end() ? std::string() : description->second;
  }
  for (const auto& entry : registration["commands"].items()) {
    command.commands.push_back({.name = entry["name"].asString(),
                                .summary = entry["summary"].asString(),
                                .usage = entry["usage"].asString()});
  }
  return command;
}

}  // namespace svc::cli
