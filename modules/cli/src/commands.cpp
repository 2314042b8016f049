#include "commands.h"

#include "skill_text.h"

namespace svc::cli {

void Commands::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  table_.recordsChanged(records);
  refresh();
}

std::vector<Command> Commands::refresh() {
  auto commands = table_.refresh();
  skill_->update(skillText(commands));
  return commands;
}

}  // namespace svc::cli
