#include "deliveries.h"

#include <utility>

#include "thread_limits.h"

namespace svc::threads {

void Deliveries::begin(const std::string& thread_id, const std::string& request_id) {
  auto& delivery = by_thread_[thread_id];
  if (delivery.request_id != request_id) {
    delivery = {.request_id = request_id};
  }
  delivery.waits = false;
  delivery.held = false;
}

bool Deliveries::has(const std::string& thread_id, const std::string& request_id) const {
  const auto found = by_thread_.find(thread_id);
  return found != by_thread_.end() && found->second.request_id == request_id;
}

bool Deliveries::wait(const std::string& thread_id, const std::string& request_id,
                      std::int64_t now) {
  const auto found = by_thread_.find(thread_id);
  if (found == by_thread_.end() || found->second.request_id != request_id) {
    return false;
  }
  auto& delivery = found->second;
  if (delivery.until == 0) {
    delivery.until = now + kHostWait.count();
  }
  if (now >= delivery.until) {
    by_thread_.erase(found);
    return false;
  }
  delivery.waits = true;
  return true;
}

void Deliveries::heard(const std::string& thread_id) {
  if (const auto found = by_thread_.find(thread_id); found != by_thread_.end()) {
    found->second.until = 0;
  }
}

bool Deliveries::mayGoOn(const std::string& thread_id, const std::string& request_id) {
  return has(thread_id, request_id) && !std::exchange(by_thread_[thread_id].bereft, true);
}

void Deliveries::hold(const std::string& thread_id, const std::string& request_id) {
  if (has(thread_id, request_id)) {
    auto& delivery = by_thread_[thread_id];
    delivery.waits = true;
    delivery.held = true;
  }
}

void Deliveries::end(const std::string& thread_id, const std::string& request_id) {
  if (has(thread_id, request_id)) {
    by_thread_.erase(thread_id);
  }
}

std::vector<Deliveries::Waiting> Deliveries::waiting() const {
  std::vector<Waiting> out;
  for (const auto& [thread_id, delivery] : by_thread_) {
    if (delivery.waits) {
      out.push_back({thread_id, delivery.request_id, delivery.held});
    }
  }
  return out;
}

}  // namespace svc::threads
