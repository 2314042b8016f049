#pragma once

#include <string>

#include "svc/common/json.h"

#include "api.h"
#include "app.h"

namespace svc::client {

/// Installs what an install request (`body`) names in the place of an installed plugin, as an update with its rollback. The exit code.
int replaceInstalled(Context& context, Api& api, const std::string& id, const common::Json& body);

}  // namespace svc::client
