#pragma once

#include <gmock/gmock.h>

#include "svc/installs/package_sources.h"

namespace svc::installs {

class MockPackageSources : public IPackageSources {
 public:
  MockPackageSources();
  ~MockPackageSources() override;

  using Progress = std::function<void(const std::string& step)>;

  MOCK_METHOD(Result<storage::PluginRow>, redirected,
              (const storage::PluginRow& installed, const std::string& request), (override));
  MOCK_METHOD(void, resolve,
              (storage::PluginRow installed, std::stop_token stop, Completion<Resolution> done),
              (override));
  MOCK_METHOD(void, stage,
              (storage::PluginRow installed, Candidate candidate, std::stop_token stop,
               Progress progress, Completion<storage::PluginRow> done),
              (override));
  MOCK_METHOD(void, isIntact, (storage::PluginRow installed, Completion<bool> done), (override));
  MOCK_METHOD(Handle, keep, (const storage::PluginRow& row), (override));
};

}  // namespace svc::installs
