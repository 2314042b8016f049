#include "daemon_log.h"

#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"

namespace svc::machines {
namespace {

/// What is no text becomes a space, so that a line stays one.
std::string printable(std::string_view text) {
  std::string out(text);
  for (auto& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      c = ' ';
    }
  }
  return out;
}

}  // namespace

void DaemonLog::write(std::string_view line) {
  const auto now = clock_.steadyNow();
  if (now - window_ >= std::chrono::minutes(1)) {
    if (lines_ > limits::kWorkerLogLines) {
      log_->warn("left out {} lines of the last minute (limit worker-log)",
                 lines_ - limits::kWorkerLogLines);
    }
    window_ = now;
    lines_ = 0;
  }
  if (++lines_ > limits::kWorkerLogLines) {
    return;
  }
  const auto parsed = common::Json::parse(line);
  if (!parsed || !parsed.value()["message"].isString()) {
    log_->info("{}", printable(line));
    return;
  }
  const auto& entry = parsed.value();
  const auto& logger = entry["logger"].asString();
  log_->log(spdlog::level::from_str(entry["level"].asString()), "{}{}{}", logger,
            logger.empty() ? "" : ": ", printable(entry["message"].asString()));
}

}  // namespace svc::machines
