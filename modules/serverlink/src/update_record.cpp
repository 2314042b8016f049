#include "update_record.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/json.h"

namespace svc::serverlink {
namespace {

using common::Json;
using State = UpdateRecord::State;

constexpr std::size_t kRecordLimit = 256UL * 1024;

std::filesystem::path fileIn(const std::filesystem::path& directory) {
  return directory / "update.json";
}

}  // namespace

std::optional<UpdateRecord> readUpdateRecord(const std::filesystem::path& directory) {
  const auto text = base::readFile(fileIn(directory), kRecordLimit);
  const auto parsed = text ? Json::parse(text.value()) : Result<Json>(text.error());
  if (!parsed) {
    return std::nullopt;
  }
  const auto& json = parsed.value();
  const auto& state = json["state"].asString();
  if (json["sha256"].asString().empty() || (state != "trying" && state != "failed")) {
    return std::nullopt;
  }
  return UpdateRecord{.state = state == "trying" ? State::kTrying : State::kFailed,
                      .sha256 = json["sha256"].asString(),
                      .retry_requested_at = json["retryRequestedAt"].asInteger(),
                      .starts = static_cast<int>(json["starts"].asInteger()),
                      .resume = json["resume"].asBool(),
                      .reason = json["reason"].asString()};
}

Status writeUpdateRecord(const std::filesystem::path& directory,
                         const std::optional<UpdateRecord>& record) {
  const auto file = fileIn(directory);
  if (!record) {
    return ::unlink(file.c_str()) == 0 || errno == ENOENT
               ? Status()
               : Status(Error{errc::kUnavailable,
                              fmt::format("cannot remove {}: {}", file.string(),
                                          std::generic_category().message(errno))});
  }
  return base::replaceFile(
      file, Json::object()
                    .set("state", record->state == State::kTrying ? "trying" : "failed")
                    .set("sha256", record->sha256)
                    .set("retryRequestedAt", record->retry_requested_at)
                    .set("starts", record->starts)
                    .set("resume", record->resume)
                    .set("reason", record->reason)
                    .dumpPretty() +
                "\n");
}

}  // namespace svc::serverlink
