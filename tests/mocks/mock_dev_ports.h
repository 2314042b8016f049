#pragma once

#include <gmock/gmock.h>

#include "dev_loop.h"

namespace svc::client {

class MockFileWatcher : public IFileWatcher {
 public:
  MOCK_METHOD(Wake, wait, (std::optional<std::chrono::milliseconds> bound), (override));
  MOCK_METHOD(std::vector<std::string>, takeChanges, (), (override));
};

class MockDevBuilder : public IDevBuilder {
 public:
  MOCK_METHOD(Result<common::BuildReport>, build, (const common::BuildRequest& request),
              (override));
};

class MockDevServer : public IDevServer {
 public:
  MOCK_METHOD(Result<common::Json>, reload, (const std::string& plugin_id), (override));
  MOCK_METHOD(Result<std::string>, uiFailure, (const std::string& plugin_id), (override));
  MOCK_METHOD(Status, setProblems,
              (const std::string& plugin_id, const std::vector<DevProblem>& problems), (override));
};

}  // namespace svc::client
