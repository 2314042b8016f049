#include "mocks/mock_plugin_logs.h"

namespace svc::plugins {

MockPluginLogs::MockPluginLogs() = default;
MockPluginLogs::~MockPluginLogs() = default;

}  // namespace svc::plugins
