#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

class MockGeneration : public IGeneration {
 public:
  MockGeneration();
  ~MockGeneration() override;

  MOCK_METHOD(const std::string&, pluginId, (), (const, override));
  MOCK_METHOD(std::uint64_t, loadId, (), (const, override));
  MOCK_METHOD(void, setRegistration, (const std::string& kind, common::Json value), (override));
  MOCK_METHOD(common::Json, registration, (const std::string& kind), (const, override));
  MOCK_METHOD(void, invoke,
              (std::string source, script::Invocation invocation, Completion<std::string> done),
              (override));
  MOCK_METHOD(void, invokeStreaming,
              (std::string source, script::Invocation invocation, std::stop_token returned,
               Completion<std::string> done),
              (override));
  MOCK_METHOD(void, log, (std::string_view level, std::string_view message), (override));
  MOCK_METHOD(void, addProblem, (Problem problem), (override));
  MOCK_METHOD(void, removeProblem, (std::string_view code), (override));
  MOCK_METHOD(void, addUnsupported, (std::string member), (override));
};

}  // namespace svc::plugins
