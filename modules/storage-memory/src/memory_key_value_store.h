#pragma once

#include <map>
#include <string>

#include "svc/storage/key_value_store.h"

#include "memory_thread.h"

namespace svc::storage_memory {

/// Keeps the values for as long as the object lives. Thread-safe: every call becomes a job of the store thread.
class MemoryKeyValueStore final : public storage::IKeyValueStore {
 public:
  explicit MemoryKeyValueStore(MemoryThread& thread) : thread_(thread) {}

  void get(std::string name_space, std::string key,
           Completion<std::optional<common::RawJson>> done) override;
  void set(std::string name_space, std::string key, common::RawJson value,
           Completion<void> done) override;
  void remove(std::string name_space, std::string key, Completion<void> done) override;
  void list(std::string name_space, std::string prefix,
            Completion<std::vector<std::string>> done) override;
  void compareAndSet(std::string name_space, std::string key,
                     std::optional<common::RawJson> expected, std::optional<common::RawJson> next,
                     Completion<bool> done) override;
  void clear(std::string name_space, Completion<std::size_t> done) override;

  // The whole namespace at once, behind what is queued. Both block.
  [[nodiscard]] Result<std::map<std::string, common::RawJson>> readAll(
      const std::string& name_space);
  [[nodiscard]] Status replaceAll(const std::string& name_space,
                                  const std::map<std::string, common::RawJson>& values);

 private:
  using Values = std::map<std::string, std::string>;

  [[nodiscard]] std::optional<common::RawJson> stored(const std::string& name_space,
                                                      const std::string& key) const;

  MemoryThread& thread_;
  /// Store thread only.
  std::map<std::string, Values> namespaces_;
};

}  // namespace svc::storage_memory
