#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/project_store.h"

namespace svc::storage {

/// What every IProjectStore does. Rig offers `IProjectStore& projects()`.
template <class Rig>
class ProjectStoreContract : public ::testing::Test {
 protected:
  IProjectStore& store() { return rig_.projects(); }

  static ProjectRow project(std::string id) {
    return {.id = std::move(id),
            .kind = "standard",
            .name = "Größe",
            .sort_key = "i",
            .git_remote_url = "git@example.org:a/b.git",
            .created_at = 1,
            .updated_at = 2};
  }
  static ProjectSourceRow source(std::string id, std::string project_id, std::string path,
                                 bool is_default = false) {
    return {.id = std::move(id),
            .project_id = std::move(project_id),
            .host_id = "host_a",
            .path = std::move(path),
            .is_default = is_default,
            .created_at = 1,
            .updated_at = 2};
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(ProjectStoreContract);

TYPED_TEST_P(ProjectStoreContract, HasNothingAtFirst) {
  EXPECT_THAT(this->store().projects().value(), ::testing::IsEmpty());
  EXPECT_THAT(this->store().sources().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(ProjectStoreContract, ListsBothById) {
  const auto a = this->project("proj_a");
  const auto b = this->project("proj_b");
  const auto first = this->source("src_1", "proj_b", "/b", true);
  const auto second = this->source("src_2", "proj_a", "/a", true);
  ASSERT_TRUE(this->store().apply({.projects = {b, a}, .sources = {second, first}}).ok());
  EXPECT_THAT(this->store().projects().value(), ::testing::ElementsAre(a, b));
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(first, second));
}

TYPED_TEST_P(ProjectStoreContract, ReplacesRows) {
  auto project = this->project("proj_a");
  auto source = this->source("src_1", "proj_a", "/a", true);
  ASSERT_TRUE(this->store().apply({.projects = {project}, .sources = {source}}).ok());
  project.name = "other";
  project.sort_key = "j";
  project.git_remote_url = "";
  project.updated_at = 9;
  source.path = "/other";
  source.host_id = "host_b";
  ASSERT_TRUE(this->store().apply({.projects = {project}, .sources = {source}}).ok());
  EXPECT_THAT(this->store().projects().value(), ::testing::ElementsAre(project));
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(source));
}

TYPED_TEST_P(ProjectStoreContract, AProjectTakesItsSourcesAlong) {
  const auto other = this->source("src_3", "proj_b", "/c");
  ASSERT_TRUE(this->store()
                  .apply({.projects = {this->project("proj_a"), this->project("proj_b")},
                          .sources = {this->source("src_1", "proj_a", "/a"),
                                      this->source("src_2", "proj_a", "/b"), other}})
                  .ok());
  ASSERT_TRUE(this->store().apply({.gone_projects = {"proj_a", "nobody"}}).ok());
  EXPECT_THAT(this->store().projects().value(), ::testing::ElementsAre(this->project("proj_b")));
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(other));
  ASSERT_TRUE(this->store().apply({.gone_sources = {"src_3", "nobody"}}).ok());
  EXPECT_THAT(this->store().sources().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(ProjectStoreContract, TheDefaultPassesFromOneSourceToAnother) {
  auto first = this->source("src_1", "proj_a", "/a", true);
  auto second = this->source("src_2", "proj_a", "/b");
  ASSERT_TRUE(this->store()
                  .apply({.projects = {this->project("proj_a")}, .sources = {first, second}})
                  .ok());
  first.is_default = false;
  second.is_default = true;
  ASSERT_TRUE(this->store().apply({.sources = {second, first}}).ok());
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(first, second));
}

TYPED_TEST_P(ProjectStoreContract, RefusesASecondDefaultAndAFolderTwiceAsAWhole) {
  const auto first = this->source("src_1", "proj_a", "/a", true);
  ASSERT_TRUE(
      this->store().apply({.projects = {this->project("proj_a")}, .sources = {first}}).ok());
  for (const auto& refused :
       {this->source("src_2", "proj_a", "/b", true), this->source("src_2", "proj_b", "/a", true)}) {
    EXPECT_EQ(this->store()
                  .apply({.projects = {this->project("proj_b")}, .sources = {refused}})
                  .error()
                  .code,
              errc::kConflict);
  }
  EXPECT_THAT(this->store().projects().value(), ::testing::ElementsAre(this->project("proj_a")));
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(first));
  // The folder is free once its source is gone, in the same change.
  const auto moved = this->source("src_2", "proj_a", "/a", true);
  ASSERT_TRUE(this->store().apply({.sources = {moved}, .gone_sources = {"src_1"}}).ok());
  EXPECT_THAT(this->store().sources().value(), ::testing::ElementsAre(moved));
}

TYPED_TEST_P(ProjectStoreContract, RefusesRowsWithoutTheirKeyAsAWhole) {
  const auto refused =
      this->store().apply({.projects = {this->project("proj_a"), this->project("")}});
  EXPECT_EQ(refused.error().code, errc::kInvalidArgument);
  for (const auto& source : {this->source("", "proj_a", "/a"), this->source("src_1", "", "/a")}) {
    EXPECT_EQ(this->store()
                  .apply({.projects = {this->project("proj_a")}, .sources = {source}})
                  .error()
                  .code,
              errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().projects().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(ProjectStoreContract, HasNothingAtFirst, ListsBothById, ReplacesRows,
                            AProjectTakesItsSourcesAlong, TheDefaultPassesFromOneSourceToAnother,
                            RefusesASecondDefaultAndAFolderTwiceAsAWhole,
                            RefusesRowsWithoutTheirKeyAsAWhole);

}  // namespace svc::storage
