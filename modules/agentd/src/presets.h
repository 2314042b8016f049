#pragma once

#include <span>
#include <string_view>

namespace svc::agentd {

/// An agent that is known by name: data, so that another one is a line.
struct Preset {
  std::string_view id;
  std::string_view display_name;
  std::string_view command;
  /// Separated by blanks.
  std::string_view arguments;
  /// NAME=VALUE or empty.
  std::string_view variable;
  /// Also where edits are allowed without a question: agents' own modes for that reach out of the folder and into .git, so the service
  /// answers what is asked.
  std::string_view mode_ask;
  std::string_view mode_all;
  /// What a person does to have it.
  std::string_view install_hint;
  bool takes_mcp = true;
};

[[nodiscard]] std::span<const Preset> presets();
/// Null for a name that is none of them.
[[nodiscard]] const Preset* findPreset(std::string_view id);

}  // namespace svc::agentd
