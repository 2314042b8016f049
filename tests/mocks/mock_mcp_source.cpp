#include "mocks/mock_mcp_source.h"

namespace svc::mcp {

MockSource::MockSource() = default;
MockSource::~MockSource() = default;

}  // namespace svc::mcp
