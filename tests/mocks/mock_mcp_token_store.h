#pragma once

#include <gmock/gmock.h>

#include "svc/storage/mcp_token_store.h"

namespace svc::storage {

class MockMcpTokenStore : public IMcpTokenStore {
 public:
  MockMcpTokenStore();
  ~MockMcpTokenStore() override;

  MOCK_METHOD(Result<std::vector<McpTokenRow>>, list, (), (override));
  MOCK_METHOD(void, insert, (McpTokenRow row, Completion<void> done), (override));
  MOCK_METHOD(void, remove, (std::string id, Completion<void> done), (override));
  MOCK_METHOD(void, used, (std::string id, std::int64_t at, Completion<void> done), (override));
};

}  // namespace svc::storage
