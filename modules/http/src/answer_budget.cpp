#include "answer_budget.h"

#include <utility>

namespace svc::http {

bool AnswerBudget::admit(const void* holder, std::size_t bytes, TimePoint now,
                         const std::function<void()>& cut) {
  while (!hasRoom(bytes)) {
    if (!cutSlowest(holder, now)) {
      return false;
    }
  }
  auto& held = held_[holder];
  if (held.unsent == 0) {
    held = {.since = now, .cut = cut};
  }
  held.given += bytes;
  held.unsent += bytes;
  total_ += bytes;
  return true;
}

void AnswerBudget::left(const void* holder, std::size_t bytes) {
  const auto found = held_.find(holder);
  if (found == held_.end() || bytes >= found->second.unsent) {
    return;
  }
  total_ -= found->second.unsent - bytes;
  found->second.unsent = bytes;
  if (bytes == 0) {
    held_.erase(found);
  }
}

bool AnswerBudget::cutSlowest(const void* but, TimePoint now) {
  auto slowest = held_.end();
  double least = 0;
  for (auto each = held_.begin(); each != held_.end(); ++each) {
    const auto& held = each->second;
    const std::chrono::duration<double> took = now - held.since;
    if (each->first == but || took < kPatience) {
      continue;
    }
    const auto rate = static_cast<double>(held.given - held.unsent) / took.count();
    if (slowest == held_.end() || rate < least) {
      slowest = each;
      least = rate;
    }
  }
  if (slowest == held_.end()) {
    return false;
  }
  const auto cut = std::move(slowest->second.cut);
  release(slowest->first);
  ++cut_;
  cut();
  return true;
}

}  // namespace svc::http
