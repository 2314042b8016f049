#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "group_commit.h"

namespace svc::storage {

/// What is queued or runs, by scope: it keeps the order of a scope's requests across the two threads. Used with the lock
/// of its owner held.
class Unsettled {
 public:
  /// The side for a request that is queued now: a read goes behind the writes of its scope and beside all others.
  [[nodiscard]] Side sideOf(const StoreRequest& request) const;
  /// The request is queued on that side.
  void add(const StoreRequest& request, Side side);
  /// As add() of a write that comes after the reads of every scope.
  void addBarrier(const StoreRequest& request);
  /// The requests of a batch of that side are answered.
  void settle(const Batch& batch, Side side);

  /// Counted from the start: how many of the reader's requests come before the writes that are queued.
  [[nodiscard]] std::uint64_t readsBeforeWrites() const { return reads_before_writes_; }
  [[nodiscard]] std::uint64_t readsSettled() const { return reads_settled_; }

 private:
  struct Scope {
    std::uint64_t writes = 0;
    std::uint64_t reads = 0;
    /// The number of the scope's last read on the reader's side.
    std::uint64_t last_read = 0;
  };

  std::unordered_map<std::string, Scope> scopes_;
  std::uint64_t reads_ = 0;
  std::uint64_t reads_settled_ = 0;
  std::uint64_t reads_before_writes_ = 0;
};

}  // namespace svc::storage
