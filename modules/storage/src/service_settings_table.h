#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database.h"

namespace svc::storage {

/// The table service_settings, through statements prepared once. Thread of the connection; throws SqliteFailure.
class ServiceSettingsTable {
 public:
  explicit ServiceSettingsTable(const Database& database);

  [[nodiscard]] std::optional<std::string> get(const std::string& key);
  void set(const std::string& key, const std::string& value, std::int64_t now);

 private:
  Statement get_;
  Statement set_;
};

}  // namespace svc::storage
