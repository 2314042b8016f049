#include "bound_processes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::installs {

Result<Output> BoundProcesses::run(const Command& command, std::stop_token stop) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock_.steadyNow());
  if (left.count() <= 0) {
    return Error{errc::kTimeout,
                 fmt::format("there is no time left to run {}", command.argv.front())};
  }
  auto bound = command;
  bound.timeout = std::min(bound.timeout, left);
  return processes_.run(bound, std::move(stop));
}

}  // namespace svc::installs
