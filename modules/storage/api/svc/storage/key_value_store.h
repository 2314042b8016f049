#pragma once

#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// JSON values by key, one namespace per plugin. Thread-safe. Requests of one namespace apply in call order; a
/// write completes only when it is durable, and a read that follows sees every earlier request of its namespace.
/// A read does not wait for writes of other namespaces. Completions fire on a thread of the store, those of reads and
/// writes at the same time: they must be quick and must not block. A refused request is answered on
/// the caller's thread before the call returns: `invalid_argument` (empty namespace or key), `too_large`
/// (kv_limits.h), `overloaded` when the queue (limits are the implementation's) is full, `unavailable` after the
/// store is stopped. A write that does not reach the disk fails with `unavailable` and leaves no trace.
class IKeyValueStore {
 public:
  static constexpr ServiceId kId{"svc.storage.KeyValueStore", 1};
  virtual ~IKeyValueStore() = default;

  virtual void get(std::string name_space, std::string key,
                   Completion<std::optional<common::RawJson>> done) = 0;
  virtual void set(std::string name_space, std::string key, common::RawJson value,
                   Completion<void> done) = 0;
  /// Completes with success whether or not the key was there.
  virtual void remove(std::string name_space, std::string key, Completion<void> done) = 0;
  /// Keys with the prefix, ascending by UTF-8 bytes. An empty prefix lists all.
  virtual void list(std::string name_space, std::string prefix,
                    Completion<std::vector<std::string>> done) = 0;
  /// Writes `next` when the stored value is `expected` (nullopt = absent), as common::isSameJson() compares. True when written.
  virtual void compareAndSet(std::string name_space, std::string key,
                             std::optional<common::RawJson> expected,
                             std::optional<common::RawJson> next, Completion<bool> done) = 0;
  /// Removes the whole namespace; completes with the number of keys removed.
  virtual void clear(std::string name_space, Completion<std::size_t> done) = 0;
};

}  // namespace svc::storage
