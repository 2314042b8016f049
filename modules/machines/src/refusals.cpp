#include "refusals.h"

namespace svc::machines {
namespace {

/// Beyond this many, peers start afresh and keys may be logged again.
constexpr std::size_t kRemembered = 1024;

}  // namespace

Refusals::Verdict Refusals::note(const std::string& peer, const std::string& key_hash) {
  const std::scoped_lock lock(mutex_);
  const auto now = clock_.steadyNow();
  std::erase_if(peers_, [now](const auto& each) { return each.second.until <= now; });
  if (peers_.size() >= kRemembered && !peers_.contains(peer)) {
    peers_.clear();
  }
  auto& window = peers_[peer];
  if (window.count == 0) {
    window.until = now + std::chrono::minutes(1);
  }
  ++window.count;
  if (window.count > kPerMinute) {
    return {.too_many = true, .log = window.count == kPerMinute + 1};
  }
  if (logged_.size() >= kRemembered) {
    logged_.clear();
  }
  return {.too_many = false, .log = logged_.insert(key_hash).second};
}

}  // namespace svc::machines
