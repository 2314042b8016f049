#include "server_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"

namespace svc::http {
namespace {

Error failure(const std::filesystem::path& path) {
  return Error{
      errc::kUnavailable,
      fmt::format("cannot write {}: {}; check the space and the permissions of the data directory",
                  path.string(), std::generic_category().message(errno))};
}

bool writeAll(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

ServerFile::ServerFile(const std::filesystem::path& data_directory)
    : path_(data_directory / "server.json") {}

ServerFile::~ServerFile() { remove(); }

Status ServerFile::write(const ServerFacts& facts) {
  const auto text = common::Json::object()
                        .set("pid", static_cast<std::int64_t>(facts.pid))
                        .set("url", facts.url)
                        .set("version", facts.version)
                        .set("accessToken", facts.access_token)
                        .set("startedAt", facts.started_at_ms)
                        .dump();
  auto temporary = path_;
  temporary += ".tmp";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) {
    return failure(temporary);
  }
  const bool complete = writeAll(file, text + "\n");
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (!complete || ::rename(temporary.c_str(), path_.c_str()) != 0) {
    auto error = failure(path_);
    ::unlink(temporary.c_str());
    return error;
  }
  written_ = true;
  return {};
}

void ServerFile::keepTrying(ServerFacts facts, IExecutor& main, Task written) {
  retry_ = main.after(kServerFileRetry, [this, facts = std::move(facts), &main,
                                         written = std::move(written)]() mutable {
    if (write(facts)) {
      written();
    } else {
      // The handle of the task that runs is replaced by its successor's: what it captured is moved before.
      keepTrying(std::move(facts), main, std::move(written));
    }
  });
}

void ServerFile::removeStale() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void ServerFile::remove() {
  retry_.reset();
  if (std::exchange(written_, false)) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
}

}  // namespace svc::http
