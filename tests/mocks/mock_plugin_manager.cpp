#include "mocks/mock_plugin_manager.h"

namespace svc::plugins {

MockPluginManager::MockPluginManager() = default;
MockPluginManager::~MockPluginManager() = default;

}  // namespace svc::plugins
