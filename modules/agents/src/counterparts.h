#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/agents/counterparts.h"

namespace svc::agents {

class Counterparts final : public ICounterparts {
 public:
  [[nodiscard]] Handle serve(std::vector<std::string> members) override {
    for (const auto& member : members) {
      const std::scoped_lock lock(served_->mutex);
      ++served_->counts[member];
    }
    return Handle([served = served_, members = std::move(members)] {
      const std::scoped_lock lock(served->mutex);
      for (const auto& member : members) {
        --served->counts[member];
      }
    });
  }
  [[nodiscard]] Handle reserve(Taken taken) override {
    const auto mine = std::make_shared<const Taken>(std::move(taken));
    const std::scoped_lock lock(served_->mutex);
    served_->taken = mine;
    return Handle([served = served_, mine] {
      const std::scoped_lock again(served->mutex);
      if (served->taken == mine) {
        served->taken.reset();
      }
    });
  }
  [[nodiscard]] bool isReserved(const std::string& provider_id) const {
    std::shared_ptr<const Taken> taken;
    {
      const std::scoped_lock lock(served_->mutex);
      taken = served_->taken;
    }
    return taken && (*taken)(provider_id);
  }
  [[nodiscard]] bool isServed(const std::string& member) const {
    const std::scoped_lock lock(served_->mutex);
    const auto found = served_->counts.find(member);
    return found != served_->counts.end() && found->second > 0;
  }

 private:
  struct Served {
    std::mutex mutex;
    std::map<std::string, int> counts;
    std::shared_ptr<const Taken> taken;
  };
  std::shared_ptr<Served> served_ = std::make_shared<Served>();
};

}  // namespace svc::agents
