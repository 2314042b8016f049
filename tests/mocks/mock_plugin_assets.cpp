#include "mocks/mock_plugin_assets.h"

namespace svc::plugins {

MockPluginAssets::MockPluginAssets() = default;
MockPluginAssets::~MockPluginAssets() = default;

}  // namespace svc::plugins
