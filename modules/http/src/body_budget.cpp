#include "body_budget.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::http {

BodyShare& BodyShare::operator=(BodyShare&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(plugin_, other.plugin_);
  std::swap(sender_, other.sender_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

BodyShare::~BodyShare() {
  if (bytes_ > 0) {
    budget_->giveBack(plugin_, sender_, bytes_);
  }
}

Status BodyShare::growTo(std::size_t bytes) {
  if (!budget_ || bytes <= BodyBudget::kSmall || bytes <= bytes_) {
    return {};
  }
  auto taken = budget_->take(plugin_, sender_, bytes - bytes_, bytes);
  if (taken) {
    bytes_ = bytes;
  }
  return taken;
}

void BodyBudget::setLimits(Limits limits) {
  const std::scoped_lock lock(mutex_);
  limits_ = limits;
}

Status BodyBudget::checkProcess(BodySender sender, std::size_t more, std::size_t body) const {
  const auto strangers =
      std::min(limits_.process, std::max(limits_.process / kStrangersPart, kStrangersLeast));
  if (sender == BodySender::kStranger && strangers_bytes_ + more > strangers) {
    return Error{
        errc::kOverloaded,
        fmt::format(
            "the requests that wait in the server and have not shown yet whose they are take "
            "{} bytes with this one, whose body has {}; the limit is {} bytes, which is the "
            "part of listen.waitingMiB for them; try again",
            strangers_bytes_ + more, body, strangers)};
  }
  if (bytes_ + more > limits_.process) {
    return Error{
        errc::kOverloaded,
        fmt::format("the requests that wait in the server take {} bytes with this one, whose "
                    "body has {}; the limit is {} bytes (listen.waitingMiB); try again",
                    bytes_ + more, body, limits_.process)};
  }
  return {};
}

Status BodyBudget::take(const std::string& plugin, BodySender sender, std::size_t more,
                        std::size_t body) {
  const std::scoped_lock lock(mutex_);
  if (auto room = checkProcess(sender, more, body); !room) {
    ++refused_;
    return room;
  }
  if (!plugin.empty()) {
    auto& used = plugins_[plugin];
    if (used + more > limits_.plugin) {
      ++refused_;
      const auto wanted = used + more;
      if (used == 0) {
        plugins_.erase(plugin);
      }
      return Error{
          errc::kOverloaded,
          fmt::format("the requests that wait for plugin \"{}\" take {} bytes with this one, whose "
                      "body has {}; the limit is {} bytes (plugins.waitingMiB); try again",
                      plugin, wanted, body, limits_.plugin)};
    }
    used += more;
  }
  bytes_ += more;
  if (sender == BodySender::kStranger) {
    strangers_bytes_ += more;
  }
  return {};
}

void BodyBudget::giveBack(const std::string& plugin, BodySender sender, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  bytes_ -= bytes;
  if (sender == BodySender::kStranger) {
    strangers_bytes_ -= bytes;
  }
  if (const auto found = plugins_.find(plugin); found != plugins_.end()) {
    found->second -= bytes;
    if (found->second == 0) {
      plugins_.erase(found);
    }
  }
}

std::size_t BodyBudget::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

BodyBudget::Usage BodyBudget::usage() const {
  const std::scoped_lock lock(mutex_);
  return {.bytes = bytes_, .refused = refused_, .plugins = {plugins_.begin(), plugins_.end()}};
}

}  // namespace svc::http
