#include "known_threads.h"

#include "thread_record.h"

namespace svc::threads {
namespace {

ThreadInfo toInfo(const storage::ThreadRow& row) {
  return {.id = row.id,
          .project_id = row.project_id,
          .environment_id = row.environment_id,
          .provider_id = row.provider_id,
          .title = shownTitle(row),
          .status = row.status,
          .archived = row.archived_at != 0,
          .hidden = row.hidden};
}

}  // namespace

std::vector<ThreadInfo> KnownThreads::list() const {
  std::vector<ThreadInfo> out;
  for (const auto& row : book_.threads()) {
    out.push_back(toInfo(row));
  }
  return out;
}

std::optional<ThreadInfo> KnownThreads::find(std::string_view thread_id) const {
  const auto row = book_.thread(thread_id);
  return row ? std::optional(toInfo(row.value())) : std::nullopt;
}

common::Json KnownThreads::record(std::string_view thread_id) const {
  const auto row = book_.thread(thread_id);
  return row ? book_.record(row.value()) : common::Json();
}

void KnownThreads::tellTerminals(std::string_view thread_id) {
  if (const auto row = book_.thread(thread_id); row) {
    tell_({.thread_id = row.value().id,
           .project_id = row.value().project_id,
           .hidden = row.value().hidden,
           .change = "terminals-changed"});
  }
}

}  // namespace svc::threads
