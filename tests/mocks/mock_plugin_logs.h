#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

class MockPluginLogs : public IPluginLogs {
 public:
  MockPluginLogs();
  ~MockPluginLogs() override;

  using Listener = std::function<void(const std::string& plugin_id, std::uint64_t seq)>;

  MOCK_METHOD(void, read, (std::string plugin_id, LogQuery query, Completion<LogPage> done),
              (override));
  MOCK_METHOD(void, append, (const std::string& plugin_id, LogLine line), (override));
  MOCK_METHOD(Handle, onLine, (Listener listener), (override));
};

}  // namespace svc::plugins
