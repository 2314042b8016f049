#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "svc/cli/commands.h"
#include "svc/mcp/sources.h"

namespace svc::mcp {

/// The commands of plugins as tools: `cli_<name>`, `cli_<name>_<plugin>` where another plugin or the service has the name.
class CommandSource final : public ISource {
 public:
  explicit CommandSource(cli::ICommands& commands) : commands_(commands) {}

  [[nodiscard]] common::Json capabilities() const override;
  [[nodiscard]] std::string instructions(const Caller& caller) override;
  [[nodiscard]] std::vector<Item> list(ListKind kind, const Caller& caller) override;
  [[nodiscard]] bool takes(std::string_view /*method*/, std::string_view /*key*/) const override {
    return false;
  }
  void answer(Request request, Completion<Answer> done) override;

 private:
  using Helps = std::map<std::string, std::string, std::less<>>;  // by tool name

  /// What `--help` shows; empty for a command that shows it itself.
  [[nodiscard]] std::string helpOf(const std::string& tool);

  cli::ICommands& commands_;
  std::mutex mutex_;
  Helps helps_;
};

/// At most lim.mcpToolName characters of those that models take.
[[nodiscard]] std::string toolName(const cli::Command& command);
/// The plugin whose command a tool of this name may be, while it is in no list; empty = it is no name of a command.
[[nodiscard]] std::string pluginOfToolName(std::string_view name);

}  // namespace svc::mcp
