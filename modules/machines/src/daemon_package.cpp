#include "daemon_package.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::machines {

DaemonPackage::DaemonPackage(const std::filesystem::path& prefix, std::filesystem::path directory,
                             std::string platform, IBulkWorkers& workers,
                             std::shared_ptr<spdlog::logger> log)
    : files_(daemonFiles(prefix)),
      directory_(std::move(directory)),
      platform_(std::move(platform)),
      workers_(workers),
      log_(std::move(log)) {}

Status DaemonPackage::availableFor(std::string_view platform) const {
  if (!files_) {
    return files_.error();
  }
  if (platform != platform_) {
    return Error{
        errc::kNotFound,
        fmt::format("the server's svc-hostd is for {}, not for {}: install the same version "
                    "of svc on the machine",
                    platform_, platform.empty() ? "an unknown platform" : platform)};
  }
  return {};
}

void DaemonPackage::get(Completion<PackedDaemonPtr> done) {
  PackedDaemonPtr packed;
  {
    const std::scoped_lock lock(mutex_);
    packed = packed_;
    if (!packed && files_) {
      waiting_.push_back(std::move(done));
      if (waiting_.size() > 1) {
        return;
      }
    }
  }
  if (packed) {
    done(packed);
  } else if (!files_) {
    done(files_.error());
  } else if (!workers_.submit([this](const std::stop_token&) { pack(); })) {
    std::vector<Completion<PackedDaemonPtr>> refused;
    {
      const std::scoped_lock lock(mutex_);
      refused.swap(waiting_);
    }
    for (auto& each : refused) {
      each(Error{errc::kOverloaded, "too many jobs are waiting; try again later"});
    }
  }
}

void DaemonPackage::pack() {
  const auto packed = guarded([this] { return PackedDaemon::pack(files_.value(), directory_); });
  if (packed) {
    log_->info("svc-hostd for machines is packed: {} files, {} bytes", files_.value().size(),
               packed.value()->size());
  } else {
    log_->warn("{}", packed.error().message);
  }
  std::vector<Completion<PackedDaemonPtr>> waiting;
  {
    const std::scoped_lock lock(mutex_);
    packed_ = packed ? packed.value() : nullptr;
    waiting.swap(waiting_);
  }
  for (auto& each : waiting) {
    each(packed);
  }
}

}  // namespace svc::machines
