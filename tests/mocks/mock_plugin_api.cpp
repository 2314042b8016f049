#include "mocks/mock_plugin_api.h"

namespace svc::plugins {

MockPluginApi::MockPluginApi() = default;
MockPluginApi::~MockPluginApi() = default;

}  // namespace svc::plugins
