#include "mocks/mock_plugin_settings.h"

namespace svc::plugins {

MockPluginSettings::MockPluginSettings() = default;
MockPluginSettings::~MockPluginSettings() = default;

}  // namespace svc::plugins
