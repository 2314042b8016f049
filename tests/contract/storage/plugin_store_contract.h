#pragma once

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/plugin_store.h"

namespace svc::storage {

/// What every IPluginStore does. Rig offers `IPluginStore& plugins()`.
template <class Rig>
class PluginStoreContract : public ::testing::Test {
 protected:
  static PluginRow row(std::string id) {
    PluginRow row;
    row.id = std::move(id);
    row.source = "path:/home/me/todo";
    row.root_dir = "/home/me/todo";
    row.version = "1.2.3";
    row.generation = 7;
    row.installed_at = 1'700'000'000'000;
    row.updated_at = 1'700'000'000'001;
    return row;
  }

  IPluginStore& store() { return rig_.plugins(); }

  Rig rig_;
};

TYPED_TEST_SUITE_P(PluginStoreContract);

TYPED_TEST_P(PluginStoreContract, ReturnsTheRowThatWasPut) {
  auto row = this->row("todo");
  row.enabled = false;
  row.source_kind = "git";
  row.provenance = "catalog";
  row.source_detail = R"({"kind":"git"})";
  row.resolved = "git:https://example.org/todo@0123";
  row.resolved_tag = "v1.2.3";
  row.integrity = "sha512-abc";
  row.commit_sha = "0123";
  row.digests = R"({"package.json":"00"})";
  row.history = R"([{"version":"1.2.2"}])";
  row.last_failure = R"({"version":"2.0.0"})";
  ASSERT_TRUE(this->store().put(row).ok());
  EXPECT_EQ(this->store().find("todo").value(), row);
}

TYPED_TEST_P(PluginStoreContract, FindsNothingForAnUnknownId) {
  EXPECT_EQ(this->store().find("todo").value(), std::nullopt);
}

TYPED_TEST_P(PluginStoreContract, ReplacesTheRowOfTheSameId) {
  auto row = this->row("todo");
  ASSERT_TRUE(this->store().put(row).ok());
  row.version.clear();
  row.source = "path:/elsewhere";
  row.root_dir = "/elsewhere";
  row.enabled = false;
  row.generation = 8;
  row.updated_at = 1'800'000'000'000;
  row.source_detail = "{}";
  row.resolved = "npm:todo@2.0.0";
  row.resolved_tag = "latest";
  row.integrity = "sha512-def";
  row.commit_sha = "4567";
  row.digests = "{}";
  row.history = "[]";
  row.last_failure = "{ }";
  ASSERT_TRUE(this->store().put(row).ok());
  EXPECT_THAT(this->store().list().value(), ::testing::ElementsAre(row));
}

TYPED_TEST_P(PluginStoreContract, ListsRowsAscendingById) {
  for (const char* id : {"todo", "a-first", "notes"}) {
    ASSERT_TRUE(this->store().put(this->row(id)).ok());
  }
  EXPECT_THAT(this->store().list().value(),
              ::testing::ElementsAre(this->row("a-first"), this->row("notes"), this->row("todo")));
}

TYPED_TEST_P(PluginStoreContract, ListsNothingAtFirst) {
  EXPECT_THAT(this->store().list().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(PluginStoreContract, RemovesTheRow) {
  ASSERT_TRUE(this->store().put(this->row("todo")).ok());
  ASSERT_TRUE(this->store().remove("todo").ok());
  EXPECT_EQ(this->store().find("todo").value(), std::nullopt);
}

TYPED_TEST_P(PluginStoreContract, ReportsARemovalOfAnUnknownId) {
  const auto removed = this->store().remove("todo");
  ASSERT_FALSE(removed.ok());
  EXPECT_EQ(removed.error().code, errc::kNotFound);
  EXPECT_THAT(removed.error().message, ::testing::HasSubstr("todo"));
}

TYPED_TEST_P(PluginStoreContract, RefusesARowWithoutAnId) {
  EXPECT_EQ(this->store().put(this->row("")).error().code, errc::kInvalidArgument);
  EXPECT_THAT(this->store().list().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(PluginStoreContract, RefusesAGenerationThatDoesNotFit) {
  auto row = this->row("todo");
  row.generation = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(this->store().put(row).error().code, errc::kInvalidArgument);
  row.generation = std::numeric_limits<std::int64_t>::max();
  ASSERT_TRUE(this->store().put(row).ok());
  EXPECT_EQ(this->store().find("todo").value(), row);
}

REGISTER_TYPED_TEST_SUITE_P(PluginStoreContract, ReturnsTheRowThatWasPut,
                            FindsNothingForAnUnknownId, ReplacesTheRowOfTheSameId,
                            ListsRowsAscendingById, ListsNothingAtFirst, RemovesTheRow,
                            ReportsARemovalOfAnUnknownId, RefusesARowWithoutAnId,
                            RefusesAGenerationThatDoesNotFit);

}  // namespace svc::storage
