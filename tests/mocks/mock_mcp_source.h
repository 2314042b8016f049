#pragma once

#include <gmock/gmock.h>

#include "svc/mcp/sources.h"

namespace svc::mcp {

class MockSource : public ISource {
 public:
  MockSource();
  ~MockSource() override;

  MOCK_METHOD(common::Json, capabilities, (), (const, override));
  MOCK_METHOD(std::string, instructions, (const Caller& caller), (override));
  MOCK_METHOD(std::vector<Item>, list, (ListKind kind, const Caller& caller), (override));
  MOCK_METHOD(bool, takes, (std::string_view method, std::string_view key), (const, override));
  MOCK_METHOD(void, answer, (Request request, Completion<Answer> done), (override));
};

}  // namespace svc::mcp
