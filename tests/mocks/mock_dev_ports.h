#pragma once

#include <gmock/gmock.h>

#include "dev_cockpit.h"
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
  MOCK_METHOD(std::vector<std::string>, windowFailures, (const std::string& plugin_id), (override));
  MOCK_METHOD(Status, setProblems,
              (const std::string& plugin_id, const std::vector<DevProblem>& problems), (override));
};

class MockDevCockpit : public IDevCockpit {
 public:
  MOCK_METHOD(Wish, attend, (), (override));
  MOCK_METHOD(void, loaded, (), (override));
  MOCK_METHOD(void, look, (), (override));
};

class MockCockpitServer : public ICockpitServer {
 public:
  MOCK_METHOD(std::string, pageAddress, (), (override));
  MOCK_METHOD(Result<common::Json>, logAfter, (std::optional<std::int64_t> line, std::size_t most),
              (override));
  MOCK_METHOD(Result<std::string>, inspect, (), (override));
  MOCK_METHOD(Result<std::string>, openPage, (), (override));
};

class MockKeys : public IKeys {
 public:
  MOCK_METHOD(int, descriptor, (), (override));
  MOCK_METHOD(std::string, take, (), (override));
};

class MockTestRun : public ITestRun {
 public:
  MOCK_METHOD(Status, start, (), (override));
  MOCK_METHOD(int, descriptor, (), (override));
  MOCK_METHOD(std::optional<std::string>, takeEnd, (), (override));
};

}  // namespace svc::client
