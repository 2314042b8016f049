#pragma once

#include <gmock/gmock.h>

#include "svc/http/http.h"

#include "fakes/fake_executor.h"

namespace svc::test {

/// The io thread driven by hand; see FakeExecutorFor.
using FakeReactor = FakeExecutorFor<http::IReactor>;

class MockReactor : public http::IReactor {
 public:
  MockReactor();
  ~MockReactor() override;

  MOCK_METHOD(void, post, (Task task), (override));
  MOCK_METHOD(Handle, after, (std::chrono::milliseconds delay, Task task), (override));
  MOCK_METHOD(bool, isCurrent, (), (const, override));
};

}  // namespace svc::test
