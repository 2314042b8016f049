#pragma once

#include <string>

namespace svc::database {

/// The name of an extended result code of SQLite: "SQLITE_CONSTRAINT_UNIQUE".
[[nodiscard]] std::string resultName(int code);

}  // namespace svc::database
