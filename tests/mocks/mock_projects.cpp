#include "mocks/mock_projects.h"

namespace svc::projects {

MockProjects::MockProjects() = default;
MockProjects::~MockProjects() = default;

}  // namespace svc::projects
