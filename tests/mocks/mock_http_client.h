#pragma once

#include <gmock/gmock.h>

#include "http_client.h"

namespace svc::client {

class MockHttpClient : public IHttpClient {
 public:
  MOCK_METHOD(Result<HttpResponse>, send, (const HttpRequest& request), (override));
};

}  // namespace svc::client
