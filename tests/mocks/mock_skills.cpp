#include "mocks/mock_skills.h"

namespace svc::skills {

MockSkills::MockSkills() = default;
MockSkills::~MockSkills() = default;

}  // namespace svc::skills
