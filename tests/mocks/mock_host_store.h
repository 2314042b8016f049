#pragma once

#include <gmock/gmock.h>

#include "svc/storage/host_store.h"

namespace svc::storage {

class MockHostStore : public IHostStore {
 public:
  MockHostStore();
  ~MockHostStore() override;

  MOCK_METHOD(Result<std::vector<HostRow>>, hosts, (), (override));
  MOCK_METHOD(Result<std::vector<HostKeyRow>>, keys, (), (override));
  MOCK_METHOD(Status, apply, (const HostChange& change), (override));
};

}  // namespace svc::storage
