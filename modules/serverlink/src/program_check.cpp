#include "program_check.h"

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/base/stop_event.h"
#include "svc/base/text.h"
#include "svc/common/codes.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;

/// Loading every module takes a second on a slow disk.
constexpr std::chrono::seconds kPatience{30};
/// Of what a program has said, in an error.
constexpr std::size_t kShown = 500;

Error failed(const std::string& what) {
  return {errc::kIncompatible, "the server's daemon does not run on this machine: " + what};
}

/// What a program that succeeds has said.
Result<std::string> outputOf(const std::vector<std::string>& words, const std::stop_token& stop) {
  const base::StopEvent stopped(stop);
  base::RunOptions options;
  options.program.argv = words;
  options.capture = base::Capture::kJoined;
  options.overflow = base::Overflow::kKeepFirst;
  options.time_limit = kPatience;
  options.interrupt = stopped.descriptor();
  auto ran = base::run(options);
  if (!ran) {
    return ran.error().code == errc::kUnavailable ? ran.error() : failed(ran.error().message);
  }
  auto& [end, status, said, err] = ran.value();
  if (end == base::RunEnd::kInterrupted) {
    return Error{errc::kAborted, "the check of the program was stopped"};
  }
  if (end == base::RunEnd::kTimeout) {
    return failed(fmt::format("its check took longer than {} s", kPatience.count()));
  }
  if (status.ok()) {
    return std::move(said);
  }
  const auto shown = base::trimmed(std::string_view(said).substr(0, kShown));
  return failed(shown.empty() ? "it ended without a word" : std::string(shown));
}

}  // namespace

Status checkProgram(const fs::path& root, std::int64_t protocol_version,
                    const std::vector<std::string>& arguments, const std::stop_token& stop) {
  const auto program = (root / "bin/svc-hostd").string();
  std::vector<std::string> words{program, "--check"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto daemon = outputOf(words, stop);
  if (!daemon) {
    return daemon.error();
  }
  if (daemon.value().find(fmt::format("provides {} {}\n", kProtocolService, protocol_version)) ==
      std::string::npos) {
    return Error{errc::kIncompatible,
                 fmt::format("the server's daemon does not speak protocol version {}: the server's "
                             "installation was changed while it runs; start it again",
                             protocol_version)};
  }
  const auto worker =
      outputOf({program, "worker", "--check", "--data-dir", root.parent_path().string()}, stop);
  return worker ? Status() : Status(worker.error());
}

}  // namespace svc::serverlink
