#include "process.h"

#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/base/stop_event.h"
#include "svc/common/codes.h"

namespace svc::installs {
namespace {

base::Environment environmentOf(const Command& command) {
  auto values = base::currentEnvironment();
  for (const auto& name : command.removed_environment) {
    values.erase(name);
  }
  for (const auto& [name, value] : command.environment) {
    values[name] = value;
  }
  return values;
}

Error cannotRun(const Command& command, const Error& failure) {
  return {errc::kUnavailable,
          failure.code == errc::kNotFound
              ? fmt::format("\"{}\" is not on the PATH of the server; install it and restart the "
                            "server",
                            command.argv.front())
              : failure.message};
}

}  // namespace

Result<Output> Processes::run(const Command& command, std::stop_token stop) {
  const base::StopEvent stopped(stop);
  base::RunOptions options;
  // A session of its own has no terminal: what wants to ask a question there fails instead of waiting.
  options.program = {.argv = command.argv,
                     .environment = environmentOf(command),
                     .directory = command.directory,
                     .group = base::ProcessGroup::kSession,
                     .file_limit = command.file_limit};
  options.output_limit = command.output_limit;
  options.time_limit = command.timeout;
  options.interrupt = stopped.descriptor();
  auto ran = base::run(options);
  if (!ran) {
    return cannotRun(command, ran.error());
  }
  auto& outcome = ran.value();
  const auto& name = command.argv.front();
  switch (outcome.end) {
    case base::RunEnd::kTimeout:
      return Error{errc::kTimeout, fmt::format("{} did not finish within {} ms (limit fetchTool)",
                                               name, command.timeout.count())};
    case base::RunEnd::kInterrupted:
      return Error{errc::kAborted, fmt::format("{} was stopped", name)};
    case base::RunEnd::kOverflow:
      return Error{errc::kTooLarge,
                   fmt::format("{} wrote more than {} bytes", name, command.output_limit)};
    case base::RunEnd::kExited:
      break;
  }
  return Output{.exit_code = outcome.status.shellCode(),
                .out = std::move(outcome.out),
                .err = std::move(outcome.err)};
}

}  // namespace svc::installs
