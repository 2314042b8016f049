#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

class MockPluginManager : public IPluginManager {
 public:
  MockPluginManager();
  ~MockPluginManager() override;

  using Listener = std::function<void(const std::vector<PluginRecord>& records)>;

  MOCK_METHOD(void, list, (Completion<std::vector<PluginRecord>> done), (override));
  MOCK_METHOD(void, get, (std::string plugin_id, Completion<PluginRecord> done), (override));
  MOCK_METHOD(void, inspect, (std::string source, Completion<Inspection> done), (override));
  MOCK_METHOD(void, install, (std::string source, Completion<PluginRecord> done), (override));
  MOCK_METHOD(void, setEnabled,
              (std::string plugin_id, bool enabled, Completion<PluginRecord> done), (override));
  MOCK_METHOD(void, reload, (std::string plugin_id, Completion<std::vector<ReloadOutcome>> done),
              (override));
  MOCK_METHOD(void, remove,
              (std::string plugin_id, bool purge, Completion<std::vector<std::string>> done),
              (override));
  MOCK_METHOD(void, settingsSaved, (std::string plugin_id), (override));
  MOCK_METHOD(void, setDevProblems,
              (std::string plugin_id, std::vector<DevProblem> problems, Completion<void> done),
              (override));
  MOCK_METHOD(void, source, (std::string plugin_id, Completion<SourceDetail> done), (override));
  MOCK_METHOD(void, safeMode, (Completion<SafeModeState> done), (override));
  MOCK_METHOD(void, setSafeMode, (bool enabled, Completion<SafeModeState> done), (override));
  MOCK_METHOD(Handle, onChanged, (Listener listener), (override));
};

}  // namespace svc::plugins
