#pragma once

#include <vector>

#include "svc/storage/environment_store.h"

#include "database.h"

namespace svc::storage {

/// The table environments, through statements prepared once. Thread of the connection; throws SqliteFailure.
class EnvironmentTable {
 public:
  explicit EnvironmentTable(const Database& database);

  [[nodiscard]] std::vector<EnvironmentRow> environments();
  void apply(const EnvironmentChange& change);

 private:
  Statement list_;
  Statement put_;
  Statement remove_;
};

}  // namespace svc::storage
