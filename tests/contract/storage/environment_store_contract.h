#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/environment_store.h"

namespace svc::storage {

/// What every IEnvironmentStore does. Rig offers `IEnvironmentStore& environments()`.
template <class Rig>
class EnvironmentStoreContract : public ::testing::Test {
 protected:
  IEnvironmentStore& store() { return rig_.environments(); }

  static EnvironmentRow environment(std::string id, std::int64_t created_at = 1) {
    return {.id = std::move(id),
            .project_id = "proj_a",
            .host_id = "host_a",
            .kind = "managed-worktree",
            .status = "ready",
            .status_detail = "Büro",
            .name = "n",
            .path = "/w",
            .intent = R"({"type":"managed-worktree"})",
            .is_git_repo = true,
            .is_worktree = true,
            .branch_name = "svc/a",
            .base_branch = "origin/main",
            .default_branch = "main",
            .merge_base_branch = "dev",
            .phase = "retiring",
            .retire_at = 9,
            .teardown_status = "failed",
            .teardown_attempt = 2,
            .created_at = created_at,
            .updated_at = 7};
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(EnvironmentStoreContract);

TYPED_TEST_P(EnvironmentStoreContract, ListsByTimeThenId) {
  EXPECT_THAT(this->store().environments().value(), ::testing::IsEmpty());
  const auto late = this->environment("a", 3);
  const auto second = this->environment("c", 2);
  const auto first = this->environment("b", 2);
  ASSERT_TRUE(this->store().apply({.environments = {late, second, first}}).ok());
  EXPECT_THAT(this->store().environments().value(), ::testing::ElementsAre(first, second, late));
}

TYPED_TEST_P(EnvironmentStoreContract, ReplacesRowsAsAWhole) {
  auto row = this->environment("a");
  ASSERT_TRUE(this->store().apply({.environments = {row}}).ok());
  row.is_git_repo = false;
  row.is_worktree = false;
  row.path.clear();
  row.retire_at = 0;
  row.phase = "active";
  ASSERT_TRUE(this->store().apply({.environments = {row}}).ok());
  EXPECT_THAT(this->store().environments().value(), ::testing::ElementsAre(row));
}

TYPED_TEST_P(EnvironmentStoreContract, RemovalsComeFirst) {
  const auto row = this->environment("a");
  ASSERT_TRUE(this->store().apply({.environments = {row, this->environment("b")}}).ok());
  ASSERT_TRUE(this->store().apply({.environments = {row}, .gone = {"a", "b", "nobody"}}).ok());
  EXPECT_THAT(this->store().environments().value(), ::testing::ElementsAre(row));
}

TYPED_TEST_P(EnvironmentStoreContract, RefusesRowsWithoutTheirKeysAsAWhole) {
  auto nowhere = this->environment("b");
  nowhere.host_id.clear();
  for (const auto& bad : {this->environment(""), nowhere}) {
    EXPECT_EQ(this->store().apply({.environments = {this->environment("a"), bad}}).error().code,
              errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().environments().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(EnvironmentStoreContract, ListsByTimeThenId, ReplacesRowsAsAWhole,
                            RemovalsComeFirst, RefusesRowsWithoutTheirKeysAsAWhole);

}  // namespace svc::storage
