#pragma once

#include <gmock/gmock.h>

#include "svc/storage/key_value_store.h"

namespace svc::storage {

/// An expectation owns the Completion it gets: answer it in the action, or keep it and answer later.
class MockKeyValueStore : public IKeyValueStore {
 public:
  MockKeyValueStore();
  ~MockKeyValueStore() override;

  MOCK_METHOD(void, get,
              (std::string name_space, std::string key,
               Completion<std::optional<common::RawJson>> done),
              (override));
  MOCK_METHOD(void, set,
              (std::string name_space, std::string key, common::RawJson value,
               Completion<void> done),
              (override));
  MOCK_METHOD(void, remove, (std::string name_space, std::string key, Completion<void> done),
              (override));
  MOCK_METHOD(void, list,
              (std::string name_space, std::string prefix,
               Completion<std::vector<std::string>> done),
              (override));
  MOCK_METHOD(void, compareAndSet,
              (std::string name_space, std::string key, std::optional<common::RawJson> expected,
               std::optional<common::RawJson> next, Completion<bool> done),
              (override));
  MOCK_METHOD(void, clear, (std::string name_space, Completion<std::size_t> done), (override));
};

}  // namespace svc::storage
