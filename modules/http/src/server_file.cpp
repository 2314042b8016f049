#include "server_file.h"

#include <system_error>
#include <utility>

#include "svc/base/files.h"
#include "svc/common/json.h"

namespace svc::http {
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
  // Nobody needs it after a loss of power: the server it tells of is gone then.
  if (auto written =
          base::replaceFile(path_, text + "\n", {.durability = base::Durability::kLoose});
      !written) {
    return Error{
        errc::kUnavailable,
        written.error().message + "; check the space and the permissions of the data directory"};
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
