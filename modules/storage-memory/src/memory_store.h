#pragma once

#include "memory_key_value_store.h"
#include "memory_plugin_store.h"

namespace svc::storage_memory {

/// Both stores with their thread: what the module offers, and the fake that tests use.
class MemoryStore {
 public:
  explicit MemoryStore(std::size_t request_limit = 65'536) : thread_(request_limit) {}
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;
  ~MemoryStore() { stop(); }

  [[nodiscard]] storage::IKeyValueStore& keyValues() { return key_values_; }
  [[nodiscard]] storage::IPluginStore& plugins() { return plugins_; }

  /// See MemoryThread.
  void flush(Completion<void> done) { thread_.flush(std::move(done)); }
  void stop() { thread_.stop(); }

 private:
  MemoryPluginStore plugins_;
  MemoryThread thread_;
  MemoryKeyValueStore key_values_{thread_};
};

}  // namespace svc::storage_memory
