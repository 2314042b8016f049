#include "mocks/mock_package_sources.h"

namespace svc::installs {

MockPackageSources::MockPackageSources() = default;
MockPackageSources::~MockPackageSources() = default;

}  // namespace svc::installs
