#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/install_store.h"

namespace svc::storage {

/// What every IInstallStore does. Rig offers `IInstallStore& installs()`.
template <class Rig>
class InstallStoreContract : public ::testing::Test {
 protected:
  IInstallStore& store() { return rig_.installs(); }

  static InstallJobRow job(std::string id) {
    return {std::move(id), "npm:todo", "failed", "downloading", R"({"code":"x"})", "todo", 1, 2};
  }
  static MarketplaceRow marketplace(std::string name) {
    return {std::move(name), "https://example.org/m.json", "{}", 1, 2, "unreachable"};
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(InstallStoreContract);

TYPED_TEST_P(InstallStoreContract, ListsJobsAscendingById) {
  for (const char* id : {"job_b", "job_a"}) {
    ASSERT_TRUE(this->store().putJob(this->job(id)).ok());
  }
  EXPECT_THAT(this->store().jobs().value(),
              ::testing::ElementsAre(this->job("job_a"), this->job("job_b")));
}

TYPED_TEST_P(InstallStoreContract, ReplacesAndRemovesAJob) {
  auto job = this->job("job_a");
  ASSERT_TRUE(this->store().putJob(job).ok());
  job.state = "succeeded";
  job.error.clear();
  ASSERT_TRUE(this->store().putJob(job).ok());
  EXPECT_THAT(this->store().jobs().value(), ::testing::ElementsAre(job));
  ASSERT_TRUE(this->store().removeJob("job_a").ok());
  ASSERT_TRUE(this->store().removeJob("job_a").ok());
  EXPECT_THAT(this->store().jobs().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(InstallStoreContract, ListsMarketplacesAscendingByName) {
  for (const char* name : {"b", "a"}) {
    ASSERT_TRUE(this->store().putMarketplace(this->marketplace(name)).ok());
  }
  EXPECT_THAT(this->store().marketplaces().value(),
              ::testing::ElementsAre(this->marketplace("a"), this->marketplace("b")));
}

TYPED_TEST_P(InstallStoreContract, ReplacesAndRemovesAMarketplace) {
  auto row = this->marketplace("a");
  ASSERT_TRUE(this->store().putMarketplace(row).ok());
  row.content = R"({"name":"a"})";
  row.last_error.clear();
  ASSERT_TRUE(this->store().putMarketplace(row).ok());
  EXPECT_THAT(this->store().marketplaces().value(), ::testing::ElementsAre(row));
  ASSERT_TRUE(this->store().removeMarketplace("a").ok());
  ASSERT_TRUE(this->store().removeMarketplace("a").ok());
  EXPECT_THAT(this->store().marketplaces().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(InstallStoreContract, RefusesARowWithoutAKey) {
  EXPECT_EQ(this->store().putJob(this->job("")).error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->store().putMarketplace(this->marketplace("")).error().code,
            errc::kInvalidArgument);
}

REGISTER_TYPED_TEST_SUITE_P(InstallStoreContract, ListsJobsAscendingById, ReplacesAndRemovesAJob,
                            ListsMarketplacesAscendingByName, ReplacesAndRemovesAMarketplace,
                            RefusesARowWithoutAKey);

}  // namespace svc::storage
