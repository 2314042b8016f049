#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "svc/common/json.h"
#include "svc/http/http.h"

namespace svc::http {

/// Something that a module cannot do for now although the server runs: an entry of "modules" in `/readyz` that is there as long as it
/// lasts, and never makes the answer 503. Thread-safe.
class ReadyProblem {
 public:
  /// `health` may be nullptr. `name` is what waits.
  ReadyProblem(IHealth* health, std::string name) : shown_(std::make_shared<Shown>()) {
    if (health != nullptr) {
      report_ = health->contribute({"modules", [shown = shown_, name = std::move(name)] {
                                      const std::scoped_lock lock(shown->mutex);
                                      auto entries = common::Json::array();
                                      if (!shown->detail.empty()) {
                                        entries.push(common::Json::object()
                                                         .set("name", name)
                                                         .set("state", "ready")
                                                         .set("detail", shown->detail));
                                      }
                                      return entries.dump();
                                    }});
    }
  }

  /// Empty when it is over.
  void set(std::string detail) {
    const std::scoped_lock lock(shown_->mutex);
    shown_->detail = std::move(detail);
  }

 private:
  struct Shown {
    std::mutex mutex;
    std::string detail;
  };

  std::shared_ptr<Shown> shown_;
  Handle report_;
};

}  // namespace svc::http
