#pragma once

#include <vector>

#include "svc/storage/project_store.h"

#include "database.h"

namespace svc::storage {

/// The tables projects and project_sources, through statements prepared once. Thread of the connection; throws SqliteFailure.
class ProjectTables {
 public:
  explicit ProjectTables(const Database& database);

  [[nodiscard]] std::vector<ProjectRow> projects();
  [[nodiscard]] std::vector<ProjectSourceRow> sources();
  void apply(const ProjectChange& change);

 private:
  void putSource(const ProjectSourceRow& row);

  Statement list_projects_;
  Statement put_project_;
  Statement remove_project_;
  Statement list_sources_;
  Statement put_source_;
  Statement remove_source_;
  Statement remove_sources_of_;
};

}  // namespace svc::storage
