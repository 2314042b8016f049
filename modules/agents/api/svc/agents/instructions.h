#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace svc::agents {

/// Standing instructions of one plugin.
struct PluginInstructions {
  std::string plugin_id;
  std::string text;
};

/// What an agent is told before its first prompt, by kind.
struct InstructionSources {
  std::string service;  ///< the standard of the service
  std::vector<PluginInstructions> tools;
  std::vector<PluginInstructions> contributed;  ///< of contributeInstructions
  std::vector<PluginInstructions> configured;   ///< of configure
  std::string data_directory;                   ///< the file of the user, for all projects
  std::string workspace;                        ///< the file of the workspace
};

/// One text in the order of the contract: as the members of InstructionSources stand, and within a kind by plugin id (what one plugin has
/// of a kind stays in its order). A blank line between them; what is empty is left out.
[[nodiscard]] inline std::string joinInstructions(InstructionSources sources) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) {
      text += (text.empty() ? "" : "\n\n") + part;
    }
  };
  add(sources.service);
  for (auto* kind : {&sources.tools, &sources.contributed, &sources.configured}) {
    std::stable_sort(kind->begin(), kind->end(),
                     [](const PluginInstructions& left, const PluginInstructions& right) {
                       return left.plugin_id < right.plugin_id;
                     });
    for (const auto& instructions : *kind) {
      add(instructions.text);
    }
  }
  add(sources.data_directory);
  add(sources.workspace);
  return text;
}

}  // namespace svc::agents
