#include "mocks/mock_http_server.h"

namespace svc::test {

MockHttpServer::MockHttpServer() = default;
MockHttpServer::~MockHttpServer() = default;

MockHealth::MockHealth() = default;
MockHealth::~MockHealth() = default;

MockExchange::MockExchange() = default;
MockExchange::~MockExchange() = default;

MockWebSocket::MockWebSocket() = default;
MockWebSocket::~MockWebSocket() = default;

}  // namespace svc::test
