#pragma once

#include "svc/threads/threads.h"

#include "thread_records.h"

namespace svc::threads {

/// The threads of the book for other modules. Thread-safe.
class KnownThreads final : public IThreads {
 public:
  KnownThreads(const ThreadBook& book, const ThreadRecords& records)
      : book_(book), records_(records) {}

  [[nodiscard]] std::vector<ThreadInfo> list() const override;
  [[nodiscard]] std::optional<ThreadInfo> find(std::string_view thread_id) const override;
  [[nodiscard]] common::Json record(std::string_view thread_id) const override;
  [[nodiscard]] bool hasAttention() const override { return records_.hasAttention(); }

 private:
  const ThreadBook& book_;
  const ThreadRecords& records_;
};

}  // namespace svc::threads
