#include "log_filters.h"

#include <algorithm>

namespace svc::kernel {

Handle LogFilters::add(Filter filter) {
  auto slot = std::make_shared<const Filter>(std::move(filter));
  {
    const std::unique_lock lock(state_->mutex);
    state_->filters.push_back(slot);
  }
  return Handle([state = state_, slot] {
    const std::unique_lock lock(state->mutex);
    std::erase(state->filters, slot);
  });
}

bool LogFilters::empty() const {
  const std::shared_lock lock(state_->mutex);
  return state_->filters.empty();
}

std::string LogFilters::apply(std::string message) const {
  // Held while they run, so that what a filter uses may go once its handle is released.
  const std::shared_lock lock(state_->mutex);
  for (const auto& filter : state_->filters) {
    message = (*filter)(std::move(message));
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
