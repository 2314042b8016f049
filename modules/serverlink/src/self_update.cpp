#include "self_update.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/installs.h"

#include "package_unpack.h"
#include "program_check.h"
#include "server_messages.h"

namespace svc::serverlink {
namespace {

using common::Json;
using State = UpdateRecord::State;

constexpr const char* kPath = "/internal/daemon-package";
constexpr unsigned kOk = 200;
constexpr std::size_t kSha256Digits = 64;
/// Starts of a new program, without a clean stop, after which the old one is right.
constexpr int kMostStarts = 3;

/// The package itself is at fault, so that another try of the same one is of no use.
bool isForGood(const Error& error) {
  return error.code == errc::kIncompatible || error.code == errc::kInvalidInput ||
         error.code == errc::kTooLarge;
}

}  // namespace

template <class Job, class Then>
void SelfUpdate::onWorker(Job job, Then then) {
  auto finish = [weak = weak_from_this(), then](auto result) {
    if (const auto self = weak.lock()) {
      then(*self, std::move(result));
    }
  };
  const bool queued = with_.workers.submit(
      [&main = with_.main, job = std::move(job), finish](const std::stop_token&) {
        auto result = guarded(job);
        main.post([finish, result = std::move(result)] { finish(result); });
      });
  if (!queued) {
    failed("this machine is too busy");
  }
}

SelfUpdate::Start SelfUpdate::begin() {
  auto record = readUpdateRecord(with_.data_directory);
  if (!record) {
    return Start::kFresh;
  }
  const bool resumed = std::exchange(record->resume, false);
  if (record->state == State::kFailed) {
    given_up_ = record;
    failure_ = record->reason;
    if (resumed) {
      save(record);
    }
    return resumed ? Start::kResumed : Start::kFresh;
  }
  if (with_.installation.running() != record->sha256) {
    save(std::nullopt);  // the swap never came, or somebody has installed another version since
    return Start::kFresh;
  }
  if (++record->starts > kMostStarts &&
      goBack(*record,
             fmt::format("the new version started {} times and never connected", kMostStarts))) {
    return Start::kGoesBack;
  }
  save(record);
  trying_ = std::move(record);
  return resumed ? Start::kResumed : Start::kFresh;
}

bool SelfUpdate::goBack(UpdateRecord record, const std::string& why) {
  if (const auto back = with_.installation.goBack(); !back) {
    with_.log->error("{}, and the one before is not there: {}", why, back.error().message);
    return false;
  }
  record.state = State::kFailed;
  record.starts = 0;
  record.resume = true;
  record.reason = why;
  with_.log->error("{}: going back to the one before", record.reason);
  save(record);
  with_.start_again(with_.installation.launcher(), record.reason);
  return true;
}

bool SelfUpdate::giveWay(const std::string& why) {
  if (!trying_ || !goBack(*trying_, "the new version does not start: " + why)) {
    return false;
  }
  trying_.reset();
  return true;
}

void SelfUpdate::save(const std::optional<UpdateRecord>& record) const {
  if (const auto saved = writeUpdateRecord(with_.data_directory, record); !saved) {
    with_.log->warn("{}", saved.error().message);
  }
}

void SelfUpdate::offer(UpdateOffer offer) {
  if (busy_ || stop_.stop_requested() || offer.server_protocol <= with_.protocol_version) {
    return;
  }
  busy_ = true;
  offer_ = std::move(offer);
  const auto able = with_.installation.checkReplaceable();
  if (!able) {
    complain(able.error().message);
  }
  const auto body = Json::object()
                        .set("platform", with_.platform)
                        .set("failure", failure_.empty() ? Json() : Json(failure_));
  with_.transport.post(
      {offer_.endpoint, kPath, offer_.host_key}, body.dump(),
      [weak = weak_from_this(), able = able.ok()](const Result<HttpAnswer>& answer) {
        if (const auto self = weak.lock()) {
          self->onDescribed(answer, able);
        }
      });
}

Result<SelfUpdate::Package> SelfUpdate::describe(const Result<HttpAnswer>& answer) const {
  if (!answer) {
    return answer.error();
  }
  if (answer.value().status != kOk) {
    return Error{errc::kUnavailable, parseRefusal(answer.value()).message};
  }
  const auto parsed = Json::parse(answer.value().body);
  const auto json = parsed ? parsed.value() : Json();
  const Package package{.version = json["version"].asString(),
                        .protocol_version = json["protocolVersion"].asInteger(),
                        .platform = json["platform"].asString(),
                        .bytes = static_cast<std::uint64_t>(
                            std::max<std::int64_t>(json["byteLength"].asInteger(), 0)),
                        .sha256 = json["sha256"].asString(),
                        .retry_requested_at = json["retryRequestedAt"].asInteger()};
  if (package.sha256.size() != kSha256Digits ||
      package.sha256.find_first_not_of("0123456789abcdef") != std::string::npos ||
      package.bytes == 0 || package.bytes > limits::kPackage) {
    return Error{errc::kUnavailable, "the server does not describe its package as it should"};
  }
  if (package.platform != with_.platform || package.protocol_version != offer_.server_protocol) {
    return Error{errc::kUnavailable,
                 fmt::format("the server's package is for {} and protocol version {}, not for {} "
                             "and {}",
                             package.platform, package.protocol_version, with_.platform,
                             offer_.server_protocol)};
  }
  return package;
}

bool SelfUpdate::isGivenUp(const Package& package) const {
  return given_up_ && given_up_->sha256 == package.sha256 &&
         given_up_->retry_requested_at >= package.retry_requested_at;
}

void SelfUpdate::onDescribed(const Result<HttpAnswer>& answer, bool able) {
  if (!able || stop_.stop_requested()) {
    busy_ = false;
    return;
  }
  auto described = describe(answer);
  if (!described) {
    failed(described.error().message);
    return;
  }
  package_ = std::move(described).value();
  if (isGivenUp(package_)) {
    failed(given_up_->reason);  // said once, also by a process that did not see it fail
    return;
  }
  if (std::exchange(announced_, package_.sha256) != package_.sha256) {
    with_.log->info("updating to svc-hostd {} of the server ({} bytes)", package_.version,
                    package_.bytes);
  }
  onWorker([installation = with_.installation] { return installation.stage(); },
           [](SelfUpdate& self, const Result<StagingPtr>& staging) {
             if (staging) {
               self.download(staging.value());
             } else {
               self.failed(staging.error().message);
             }
           });
}

void SelfUpdate::download(const StagingPtr& staging) {
  with_.transport.download(
      {offer_.endpoint, std::string(kPath) + "/" + package_.sha256, offer_.host_key},
      staging->archive(), package_.bytes,
      [weak = weak_from_this(), staging](const Result<Download>& download) {
        if (const auto self = weak.lock()) {
          self->onDownloaded(staging, download);
        }
      });
}

void SelfUpdate::onDownloaded(const StagingPtr& staging, const Result<Download>& download) {
  if (!download) {
    failed(download.error().message);
    return;
  }
  if (download.value().bytes != package_.bytes || download.value().sha256 != package_.sha256) {
    failed(fmt::format(
        "what was downloaded ({} bytes, SHA-256 {}) is not the package ({} bytes, {})",
        download.value().bytes, download.value().sha256, package_.bytes, package_.sha256));
    return;
  }
  onWorker([with = with_, package = package_, staging,
            stop = stop_.get_token()] { return install(with, package, staging, stop); },
           [](SelfUpdate& self, const Status& status) { self.onInstalled(status); });
}

Status SelfUpdate::install(const With& with, const Package& package, const StagingPtr& staging,
                           const std::stop_token& stop) {
  if (auto unpacked = unpackProgram(staging->archive(), staging->program(), stop); !unpacked) {
    return unpacked;
  }
  if (auto runs = checkProgram(staging->program(), package.protocol_version, with.arguments, stop);
      !runs) {
    return runs;
  }
  // First the record: a new program that starts without it could never be undone.
  const auto before = readUpdateRecord(with.data_directory);
  const UpdateRecord record{.state = State::kTrying,
                            .sha256 = package.sha256,
                            .retry_requested_at = package.retry_requested_at};
  if (auto written = writeUpdateRecord(with.data_directory, record); !written) {
    return written;
  }
  auto taken = with.installation.take(*staging, package.sha256);
  if (!taken) {
    static_cast<void>(writeUpdateRecord(with.data_directory, before));  // the disk has just said no
  }
  return taken;
}

void SelfUpdate::onInstalled(const Status& status) {
  if (status) {
    with_.start_again(with_.installation.launcher(),
                      fmt::format("svc-hostd {} of the server is installed", package_.version));
    return;  // stays busy: nothing may begin any more
  }
  if (isForGood(status.error())) {
    given_up_ = UpdateRecord{.state = State::kFailed,
                             .sha256 = package_.sha256,
                             .retry_requested_at = package_.retry_requested_at,
                             .reason = status.error().message};
  }
  failed(status.error().message);
}

void SelfUpdate::failed(const std::string& why) {
  busy_ = false;
  if (!stop_.stop_requested()) {
    complain(why);
  }
}

void SelfUpdate::complain(const std::string& why) {
  failure_ = why;
  if (std::exchange(said_, why) != why) {
    with_.log->warn("this daemon stays as it is, its update failed: {}", why);
  }
}

void SelfUpdate::connected() {
  said_.clear();
  failure_.clear();
  if (trying_) {
    with_.log->info("the update is complete");
    save(std::nullopt);
    trying_.reset();
  }
  if (!std::exchange(settled_, true)) {
    static_cast<void>(with_.workers.submit(
        [installation = with_.installation](const std::stop_token&) { installation.settle(); }));
  }
}

void SelfUpdate::stop() {
  stop_.request_stop();
  if (trying_) {
    trying_->starts = 0;
    save(trying_);
  }
}

}  // namespace svc::serverlink
