#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

class MockLoadedPlugins : public ILoadedPlugins {
 public:
  MockLoadedPlugins();
  ~MockLoadedPlugins() override;

  MOCK_METHOD(void, acquire, (const std::string& plugin_id, Completion<GenerationPtr> done),
              (override));
  MOCK_METHOD(std::vector<GenerationPtr>, all, (), (const, override));
  MOCK_METHOD(void, settled,
              (IMainExecutor & main, std::chrono::milliseconds patience, Completion<void> done),
              (override));
  MOCK_METHOD(std::vector<std::string>, loading, (), (const, override));
};

}  // namespace svc::plugins
