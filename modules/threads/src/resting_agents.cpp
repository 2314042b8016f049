#include "resting_agents.h"

#include <algorithm>
#include <tuple>

namespace svc::threads {

void RestingAgents::began(const std::string& thread_id, const std::string& host_id,
                          std::int64_t now) {
  agents_[thread_id] = {.host_id = host_id, .last_use = now};
}

void RestingAgents::canGoOn(const std::string& thread_id) {
  if (const auto found = agents_.find(thread_id); found != agents_.end()) {
    found->second.can_go_on = true;
  }
}

void RestingAgents::used(const std::string& thread_id, std::int64_t now) {
  if (const auto found = agents_.find(thread_id); found != agents_.end()) {
    found->second.last_use = now;
  }
}

std::vector<std::string> RestingAgents::overdue(std::int64_t now, const IsBusy& busy) const {
  std::vector<std::string> out;
  for (const auto& [thread_id, agent] : agents_) {
    const bool long_enough =
        bounds_.idle.count() > 0 && now - agent.last_use >= bounds_.idle.count();
    if (long_enough && agent.can_go_on && !busy(thread_id)) {
      out.push_back(thread_id);
    }
  }
  return out;
}

RestingAgents::Room RestingAgents::roomOn(const std::string& host_id, const IsBusy& busy) const {
  std::size_t there = 0;
  std::vector<std::tuple<bool, std::int64_t, std::string>> resting;
  for (const auto& [thread_id, agent] : agents_) {
    if (agent.host_id == host_id) {
      ++there;
      if (!busy(thread_id)) {
        resting.emplace_back(!agent.can_go_on, agent.last_use, thread_id);
      }
    }
  }
  if (bounds_.per_machine == 0 || there < bounds_.per_machine) {
    return {};
  }
  const auto too_many = there + 1 - bounds_.per_machine;
  if (resting.size() < too_many) {
    return {.is = false};
  }
  std::sort(resting.begin(), resting.end());
  Room room;
  for (std::size_t index = 0; index < too_many; ++index) {
    room.instead_of.push_back(std::get<2>(resting[index]));
  }
  return room;
}

}  // namespace svc::threads
