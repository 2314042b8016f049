#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_clock.h"
#include "fakes/inline_workers.h"
#include "project_registry.h"

namespace svc::projects {

/// Project rows in maps, for one thread.
class RowsInMaps final : public storage::IProjectStore {
 public:
  std::map<std::string, storage::ProjectRow> project_rows;
  std::map<std::string, storage::ProjectSourceRow> source_rows;
  int changes = 0;
  /// Makes every change fail while it is set.
  std::optional<Error> broken;

  Result<std::vector<storage::ProjectRow>> projects() override { return valuesOf(project_rows); }
  Result<std::vector<storage::ProjectSourceRow>> sources() override {
    return valuesOf(source_rows);
  }
  Status apply(const storage::ProjectChange& change) override {
    if (broken) {
      return *broken;
    }
    ++changes;
    for (const auto& id : change.gone_projects) {
      project_rows.erase(id);
      std::erase_if(source_rows, [&id](const auto& each) { return each.second.project_id == id; });
    }
    for (const auto& id : change.gone_sources) {
      source_rows.erase(id);
    }
    for (const auto& row : change.projects) {
      project_rows.insert_or_assign(row.id, row);
    }
    for (const auto& row : change.sources) {
      source_rows.insert_or_assign(row.id, row);
    }
    return {};
  }

 private:
  template <class Row>
  static std::vector<Row> valuesOf(const std::map<std::string, Row>& rows) {
    std::vector<Row> out;
    for (const auto& [id, row] : rows) {
      out.push_back(row);
    }
    return out;
  }
};

/// A registry that has been opened on an empty store.
class ProjectsFixture : public ::testing::Test {
 protected:
  ProjectsFixture() { restart(); }

  /// As after a restart of the server: only what was stored is left.
  void restart() {
    registry_ = std::make_unique<ProjectRegistry>(
        store_, clock_, [this](const std::string& project_id, const char* change) {
          announced_.emplace_back(project_id, change);
        });
    EXPECT_TRUE(registry_->open().ok());
    announced_.clear();
  }

  /// The id of a new project with the folder "/<name>" of host_a.
  std::string create(const std::string& name) {
    clock_.advance(std::chrono::milliseconds(1));
    auto made = registry_->create(name, {"host_a", "/" + name});
    EXPECT_TRUE(made.ok());
    return made ? made.value()["id"].asString() : std::string();
  }
  std::string addSource(const std::string& project_id, const std::string& path) {
    clock_.advance(std::chrono::milliseconds(1));
    auto made = registry_->addSource(project_id, {"host_a", path});
    EXPECT_TRUE(made.ok());
    return made ? made.value()["id"].asString() : std::string();
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& project : registry_->list()) {
      out.push_back(project.name);
    }
    return out;
  }
  /// Of the sources, in their order; the default one with a star.
  std::vector<std::string> paths(const std::string& project_id) {
    std::vector<std::string> out;
    const auto project = registry_->find(project_id).value_or(Project{});
    for (const auto& source : project.sources) {
      out.push_back(source.path + (source.is_default ? "*" : ""));
    }
    return out;
  }

  using Announced = std::vector<std::pair<std::string, std::string>>;
  svc::test::FakeClock clock_;
  RowsInMaps store_;
  Announced announced_;
  std::unique_ptr<ProjectRegistry> registry_;
};

}  // namespace svc::projects
