#include "mocks/mock_loaded_plugins.h"

namespace svc::plugins {

MockLoadedPlugins::MockLoadedPlugins() = default;
MockLoadedPlugins::~MockLoadedPlugins() = default;

}  // namespace svc::plugins
