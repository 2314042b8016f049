#pragma once

#include "svc/kernel/executor.h"
#include "svc/storage/key_value_store.h"

#include "kv_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call becomes a request of the store threads.
class SqliteKeyValueStore final : public IKeyValueStore {
 public:
  SqliteKeyValueStore(OnBothSides<KvTable>& table, StoreThreads& threads, const IClock& clock)
      : table_(table), threads_(threads), clock_(clock) {}

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

 private:
  OnBothSides<KvTable>& table_;
  StoreThreads& threads_;
  const IClock& clock_;
};

}  // namespace svc::storage
