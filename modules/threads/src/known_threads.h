#pragma once

#include <functional>
#include <utility>

#include "svc/threads/threads.h"

#include "thread_records.h"

namespace svc::threads {

/// The threads of the book for other modules. Thread-safe.
class KnownThreads final : public IThreads {
 public:
  using Tell = std::function<void(const Notice& notice)>;
  KnownThreads(const ThreadBook& book, const ThreadRecords& records, Tell tell)
      : book_(book), records_(records), tell_(std::move(tell)) {}

  [[nodiscard]] std::vector<ThreadInfo> list() const override;
  [[nodiscard]] std::optional<ThreadInfo> find(std::string_view thread_id) const override;
  [[nodiscard]] common::Json record(std::string_view thread_id) const override;
  [[nodiscard]] bool hasAttention() const override { return records_.hasAttention(); }
  void tellTerminals(std::string_view thread_id) override;

 private:
  const ThreadBook& book_;
  const ThreadRecords& records_;
  const Tell tell_;
};

}  // namespace svc::threads
