#include "svc/base/login_path.h"

#include <string_view>

#include "svc/base/run.h"
#include "svc/base/user_shell.h"

namespace svc::base {
namespace {

constexpr std::string_view kBegin = "svc-path-begin:";
constexpr std::string_view kEnd = ":svc-path-end";
/// Shells print greetings, too.
constexpr std::size_t kLongestAnswer = 256UL * 1024;
constexpr const char* kPlainPath = "/usr/local/bin:/usr/bin:/bin";

std::string valueOr(const Environment& own, const std::string& name, std::string fallback) {
  const auto found = own.find(name);
  return found == own.end() || found->second.empty() ? std::move(fallback) : found->second;
}

}  // namespace

const std::string& LoginPath::get() {
  const std::scoped_lock lock(mutex_);
  if (!path_) {
    path_ = ask().value_or(valueOr(own_, "PATH", kPlainPath));
  }
  return *path_;
}

std::optional<std::string> LoginPath::ask() const {
  RunOptions shell;
  const auto command =
      std::string("printf '%s' '").append(kBegin) + "' \"$PATH\" '" + std::string(kEnd) + "'";
  shell.program.argv = {userShell(own_), "-lc", command};
  shell.program.environment = cleanEnvironment(own_, valueOr(own_, "PATH", kPlainPath));
  // Without a terminal a profile has nobody to ask.
  shell.program.group = ProcessGroup::kSession;
  shell.capture = Capture::kOutput;
  shell.output_limit = kLongestAnswer;
  shell.time_limit = limit_;
  const auto outcome = run(shell);
  if (!outcome) {
    return std::nullopt;
  }
  // A shell that does not end may have answered.
  const auto& text = outcome.value().out;
  const auto from = text.find(kBegin);
  const auto to = text.find(kEnd, from == std::string::npos ? 0 : from);
  if (from == std::string::npos || to == std::string::npos) {
    return std::nullopt;
  }
  auto path = text.substr(from + kBegin.size(), to - from - kBegin.size());
  return path.empty() || path.find('\n') != std::string::npos
             ? std::nullopt
             : std::optional<std::string>(std::move(path));
}

}  // namespace svc::base
