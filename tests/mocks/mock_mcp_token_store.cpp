#include "mocks/mock_mcp_token_store.h"

namespace svc::storage {

MockMcpTokenStore::MockMcpTokenStore() = default;
MockMcpTokenStore::~MockMcpTokenStore() = default;

}  // namespace svc::storage
