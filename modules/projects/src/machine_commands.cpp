#include "machine_commands.h"

#include <utility>

#include "svc/common/codes.h"
#include "svc/hosts/host_failure.h"

namespace svc::projects {
namespace {

Error told(Error error) {
  for (const auto code : {errc::kInvalidInput, errc::kNotFound, errc::kConflict, errc::kTooLarge,
                          errc::kOverloaded, errc::kForbidden, errc::kAborted}) {
    if (error.code == code) {
      return error;
    }
  }
  return hosts::hostFailure(std::move(error));
}

}  // namespace

void MachineCommands::ask(const std::string& host_id, const common::Json& command,
                          std::chrono::milliseconds wait, Completion<common::Json> done) const {
  if (commands_ == nullptr) {
    return done(Error{errc::kHostUnavailable,
                      "this server has no machines: its module hosts is not loaded"});
  }
  commands_->send(
      host_id, command.dump(), wait, [done = std::move(done)](Result<std::string> answer) mutable {
        if (!answer) {
          return done(told(std::move(answer).error()));
        }
        auto parsed = common::Json::parse(answer.value());
        if (!parsed || !parsed.value().isObject()) {
          return done(Error{errc::kHostError, "the machine's daemon answered without an object"});
        }
        done(std::move(parsed).value());
      });
}

}  // namespace svc::projects
