#pragma once

#include <map>
#include <memory>
#include <string>

#include "svc/serverlink/server_link.h"

#include "server_messages.h"

namespace svc::serverlink {

/// Who answers which command. Main thread; handles may outlive the table.
class CommandTable {
 public:
  /// One handler for each type; a second one is a programming error.
  [[nodiscard]] Handle add(std::string type, CommandHandler handler);
  /// `invalid_command` when nobody answers commands of this type.
  void run(CommandRequest request, Completion<std::string> answer) const;

 private:
  using Handlers = std::map<std::string, std::shared_ptr<CommandHandler>, std::less<>>;
  std::shared_ptr<Handlers> handlers_ = std::make_shared<Handlers>();
};

}  // namespace svc::serverlink
