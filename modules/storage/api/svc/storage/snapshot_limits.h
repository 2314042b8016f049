#pragma once

#include "svc/kernel/result.h"
#include "svc/storage/snapshot_store.h"

namespace svc::storage {

/// What every snapshot store refuses, and in which words.
[[nodiscard]] inline Status checkSnapshot(const SnapshotRow& row) {
  if (row.id.empty() || row.plugin_id.empty()) {
    return Error{errc::kInvalidArgument, "a snapshot needs an id and the id of its plugin"};
  }
  return {};
}

}  // namespace svc::storage
