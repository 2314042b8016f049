#include "safe_mode.h"

#include <functional>
#include <utility>

#include "svc/kernel/async.h"

namespace svc::plugins {
namespace {

constexpr const char* kKey = "plugins.safeMode";
constexpr const char* kOn = "on";
constexpr const char* kOff = "off";

}  // namespace

Status SafeMode::open(bool forced) {
  auto stored = store_.get(kKey);
  if (!stored) {
    return std::move(stored).error();
  }
  on_ = stored.value() == kOn;
  if (forced && !on_) {
    if (auto status = store_.set(kKey, kOn); !status) {
      return status;
    }
    on_ = true;
  }
  return {};
}

void SafeMode::set(bool enabled, Completion<void> done) {
  const std::function job = [&store = store_, enabled] {
    return store.set(kKey, enabled ? kOn : kOff);
  };
  runOnWorker<void>(workers_, main_, job,
                    [this, enabled, done = std::move(done)](Status stored) mutable {
                      if (stored) {
                        on_ = enabled;
                      }
                      done(std::move(stored));
                    });
}

}  // namespace svc::plugins
