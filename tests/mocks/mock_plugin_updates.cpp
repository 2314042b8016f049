#include "mocks/mock_plugin_updates.h"

namespace svc::plugins {

MockPluginUpdates::MockPluginUpdates() = default;
MockPluginUpdates::~MockPluginUpdates() = default;

}  // namespace svc::plugins
