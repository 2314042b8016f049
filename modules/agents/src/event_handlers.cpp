#include "event_handlers.h"

namespace svc::agents {

Handle EventHandlers::keep(std::uint64_t load_id) {
  return Handle([weak = weak_from_this(), load_id] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock lock(self->mutex_);
      self->loads_.erase(load_id);
    }
  });
}

void EventHandlers::add(std::uint64_t load_id, const std::string& event, std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  loads_[load_id][event].insert(id);
}

void EventHandlers::remove(std::uint64_t load_id, const std::string& event, std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  if (const auto load = loads_.find(load_id); load != loads_.end()) {
    if (const auto found = load->second.find(event); found != load->second.end()) {
      found->second.erase(id);
    }
  }
}

std::vector<std::int64_t> EventHandlers::of(std::uint64_t load_id, const std::string& event) const {
  const std::scoped_lock lock(mutex_);
  const auto load = loads_.find(load_id);
  if (load == loads_.end()) {
    return {};
  }
  const auto found = load->second.find(event);
  return found == load->second.end()
             ? std::vector<std::int64_t>()
             : std::vector<std::int64_t>(found->second.begin(), found->second.end());
}

}  // namespace svc::agents
