#pragma once

#include <memory>

#include "svc/plugins/plugins.h"

#include "snapshots.h"

namespace svc::inspector {

/// The script that answers the routes from inside a plugin's environment.
[[nodiscard]] plugins::ApiPart inspectorPart(std::shared_ptr<Snapshots> snapshots);

}  // namespace svc::inspector
