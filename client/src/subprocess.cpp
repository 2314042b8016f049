#include "subprocess.h"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/base/spawn.h"

namespace svc::client {

Result<ProcessOutcome> runProcess(const ProcessRequest& request) {
  base::RunOptions options;
  options.program = {
      .argv = request.argv, .environment = request.environment, .directory = request.directory};
  options.overflow = base::Overflow::kKeepFirst;
  options.time_limit = request.bound;
  auto ran = base::run(options);
  if (!ran) {
    return Error{errc::kNotFound, std::move(ran).error().message};
  }
  auto& outcome = ran.value();
  if (outcome.end == base::RunEnd::kTimeout) {
    return Error{errc::kTimeout, fmt::format("{} did not end within {} s", request.argv.front(),
                                             request.bound.count() / 1000)};
  }
  return ProcessOutcome{.exit_code = outcome.status.shellCode(),
                        .out = std::move(outcome.out),
                        .err = std::move(outcome.err)};
}

Status launchProgram(const std::vector<std::string>& argv) {
  auto started = base::spawn({.argv = argv, .group = base::ProcessGroup::kSession});
  if (!started) {
    return std::move(started).error();
  }
  std::ignore = started.value().release();
  return {};
}

}  // namespace svc::client
