#include "mocks/mock_generation.h"

namespace svc::plugins {

MockGeneration::MockGeneration() = default;
MockGeneration::~MockGeneration() = default;

}  // namespace svc::plugins
