#pragma once

#include <filesystem>

#include "svc/plugins/plugins.h"

namespace svc::database {

/// `svc.storage.database()` and `migrate()`. Databases are `<data>/plugins/<id>/data.db`.
[[nodiscard]] plugins::ApiPart databasePart(std::filesystem::path data);

/// Closes every handle of a load (dispose phase kCloseDatabases).
void closeDatabases(const plugins::GenerationPtr& generation, Completion<void> done);

}  // namespace svc::database
