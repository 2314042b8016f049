#include "command_table.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

namespace svc::serverlink {

Handle CommandTable::add(std::string type, CommandHandler handler) {
  const bool added =
      handlers_->emplace(type, std::make_shared<CommandHandler>(std::move(handler))).second;
  SVC_ASSERT(added);
  return Handle([weak = std::weak_ptr(handlers_), type = std::move(type)] {
    if (const auto handlers = weak.lock()) {
      handlers->erase(type);
    }
  });
}

void CommandTable::run(CommandRequest request, Completion<std::string> answer) const {
  const auto found = handlers_->find(request.type);
  if (found == handlers_->end()) {
    answer(Error{errc::kInvalidCommand, fmt::format("this daemon has no command \"{}\"",
                                                    request.type.substr(0, limits::kHostName))});
    return;
  }
  // Held: a handler may withdraw itself.
  const auto handler = found->second;
  (*handler)(std::move(request.command), std::move(answer));
}

}  // namespace svc::serverlink
