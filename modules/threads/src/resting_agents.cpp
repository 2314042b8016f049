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

RestingAgents::OnMachine RestingAgents::onMachine(const std::string& host_id,
                                                  const IsBusy& busy) const {
  OnMachine out;
  std::vector<std::tuple<bool, std::int64_t, std::string>> resting;
  for (const auto& [thread_id, agent] : agents_) {
    if (agent.host_id == host_id) {
      ++out.count;
      if (!busy(thread_id)) {
        resting.emplace_back(!agent.can_go_on, agent.last_use, thread_id);
      }
    }
  }
  std::sort(resting.begin(), resting.end());
  for (auto& [forgets, last_use, thread_id] : resting) {
    out.resting.push_back(std::move(thread_id));
  }
  return out;
}

std::vector<std::string> RestingAgents::surplus(const IsBusy& busy) const {
  std::vector<std::string> out;
  if (bounds_.per_machine == 0) {
    return out;
  }
  std::map<std::string, std::size_t> counts;
  for (const auto& [thread_id, agent] : agents_) {
    ++counts[agent.host_id];
  }
  for (const auto& [host_id, count] : counts) {
    if (count > bounds_.per_machine) {
      auto resting = onMachine(host_id, busy).resting;
      resting.resize(std::min(resting.size(), count - bounds_.per_machine));
      out.insert(out.end(), resting.begin(), resting.end());
    }
  }
  return out;
}

RestingAgents::Room RestingAgents::roomOn(const std::string& host_id, const IsBusy& busy) const {
  auto [count, resting] = onMachine(host_id, busy);
  if (bounds_.per_machine == 0 || count < bounds_.per_machine) {
    return {};
  }
  const auto too_many = count + 1 - bounds_.per_machine;
  if (resting.size() < too_many) {
    return {.is = false};
  }
  resting.resize(too_many);
  return {.instead_of = std::move(resting)};
}

}  // namespace svc::threads
