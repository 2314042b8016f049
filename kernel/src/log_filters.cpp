#include "log_filters.h"

#include <algorithm>

namespace svc::kernel {

std::string LogFilters::Slot::apply(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (released_) {
      return message;
    }
    ++running_;
  }
  message = filter_(std::move(message));
  const std::lock_guard lock(mutex_);
  if (--running_ == 0) {
    idle_.notify_all();
  }
  return message;
}

void LogFilters::Slot::release() {
  std::unique_lock lock(mutex_);
  released_ = true;
  // What the filter uses may go once its handle is released.
  idle_.wait(lock, [this] { return running_ == 0; });
}

Handle LogFilters::add(Filter filter) {
  auto slot = std::make_shared<Slot>(std::move(filter));
  {
    const std::unique_lock lock(state_->mutex);
    state_->slots.push_back(slot);
  }
  return Handle([state = state_, slot] {
    {
      const std::unique_lock lock(state->mutex);
      std::erase(state->slots, slot);
    }
    slot->release();
  });
}

bool LogFilters::empty() const {
  const std::shared_lock lock(state_->mutex);
  return state_->slots.empty();
}

std::string LogFilters::apply(std::string message) const {
  std::vector<std::shared_ptr<Slot>> slots;
  {
    const std::shared_lock lock(state_->mutex);
    slots = state_->slots;
  }
  for (const auto& slot : slots) {
    message = slot->apply(std::move(message));
  }
  return message;
}

void FilteredSink::log(const spdlog::details::log_msg& message) {
  if (filters_->empty()) {
    write(message);
    return;
  }
  const auto text = filters_->apply(std::string(message.payload.data(), message.payload.size()));
  auto filtered = message;
  filtered.payload = text;
  write(filtered);
}

void FilteredSink::write(const spdlog::details::log_msg& message) {
  for (const auto& target : targets_) {
    if (target->should_log(message.level)) {
      target->log(message);
    }
  }
}

void FilteredSink::flush() {
  for (const auto& target : targets_) {
    target->flush();
  }
}

void FilteredSink::set_pattern(const std::string& pattern) {
  for (const auto& target : targets_) {
    target->set_pattern(pattern);
  }
}

void FilteredSink::set_formatter(std::unique_ptr<spdlog::formatter> formatter) {
  for (const auto& target : targets_) {
    target->set_formatter(formatter->clone());
  }
}

}  // namespace svc::kernel
