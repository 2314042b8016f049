#include "unsettled.h"

#include <algorithm>

namespace svc::storage {

Side Unsettled::sideOf(const StoreRequest& request) const {
  if (request.access() == Access::kWrite) {
    return Side::kWriter;
  }
  const auto found = scopes_.find(request.scope());
  return found != scopes_.end() && found->second.writes > 0 ? Side::kWriter : Side::kReader;
}

void Unsettled::add(const StoreRequest& request, Side side) {
  if (side == Side::kReader) {
    auto& scope = scopes_[request.scope()];
    ++scope.reads;
    scope.last_read = ++reads_;
  } else if (request.access() == Access::kWrite) {
    auto& scope = scopes_[request.scope()];
    ++scope.writes;
    reads_before_writes_ = std::max(reads_before_writes_, scope.last_read);
  }
  // A read behind the writes of its scope needs no count: the queue keeps its place.
}

void Unsettled::addBarrier(const StoreRequest& request) {
  add(request, Side::kWriter);
  reads_before_writes_ = reads_;
}

void Unsettled::settle(const Batch& batch, Side side) {
  for (const auto& request : batch) {
    const bool read = request->access() == Access::kRead;
    if (read && side == Side::kWriter) {
      continue;
    }
    const auto found = scopes_.find(request->scope());
    auto& scope = found->second;
    --(read ? scope.reads : scope.writes);
    if (scope.reads == 0 && scope.writes == 0) {
      scopes_.erase(found);
    }
    reads_settled_ += read ? 1 : 0;
  }
}

}  // namespace svc::storage
