#pragma once

#include "svc/common/json.h"
#include "svc/skills/skills.h"

#include "scan.h"

namespace svc::skills {

/// Skills of a project on another machine, from what that machine says of the folders of projectRoots().
[[nodiscard]] ReadSkills readRemotely(const common::Json& answer, const RemoteProjectPtr& project);

}  // namespace svc::skills
