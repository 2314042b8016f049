#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/mcp_token_store.h"

#include "contract/storage/await.h"

namespace svc::storage {

/// What every IMcpTokenStore does. Rig offers `IMcpTokenStore& mcpTokens()`.
template <class Rig>
class McpTokenStoreContract : public ::testing::Test {
 protected:
  IMcpTokenStore& store() { return rig_.mcpTokens(); }

  static McpTokenRow token(const std::string& id, const std::string& name) {
    return {.id = id,
            .name = name,
            .hash = "hash of " + id,
            .scope = R"({"plugins":["todo"]})",
            .created_at = 1,
            .last_used_at = 0};
  }
  Status insert(McpTokenRow row) {
    return svc::test::await<void>([&](auto done) { store().insert(row, std::move(done)); });
  }
  Status remove(const std::string& id) {
    return svc::test::await<void>([&](auto done) { store().remove(id, std::move(done)); });
  }
  Status used(const std::string& id, std::int64_t at) {
    return svc::test::await<void>([&](auto done) { store().used(id, at, std::move(done)); });
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(McpTokenStoreContract);

TYPED_TEST_P(McpTokenStoreContract, HasNothingAtFirst) {
  EXPECT_THAT(this->store().list().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(McpTokenStoreContract, ListsByName) {
  const auto desk = this->token("1", "desk");
  auto chat = this->token("2", "chat");
  chat.scope.clear();
  ASSERT_TRUE(this->insert(desk).ok());
  ASSERT_TRUE(this->insert(chat).ok());
  EXPECT_THAT(this->store().list().value(), ::testing::ElementsAre(chat, desk));
}

TYPED_TEST_P(McpTokenStoreContract, IdsNamesAndHashesAreThereOnce) {
  const auto first = this->token("1", "desk");
  ASSERT_TRUE(this->insert(first).ok());
  auto same_hash = this->token("2", "other");
  same_hash.hash = first.hash;
  for (const auto& row : {this->token("1", "other"), this->token("2", "desk"), same_hash}) {
    EXPECT_EQ(this->insert(row).error().code, errc::kConflict) << row.id << row.name;
  }
  EXPECT_THAT(this->store().list().value(), ::testing::ElementsAre(first));
}

TYPED_TEST_P(McpTokenStoreContract, RefusesRowsWithoutTheirKeys) {
  auto no_hash = this->token("1", "desk");
  no_hash.hash.clear();
  for (const auto& row : {this->token("", "desk"), this->token("1", ""), no_hash}) {
    EXPECT_EQ(this->insert(row).error().code, errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().list().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(McpTokenStoreContract, WhatIsRemovedCanComeAgain) {
  const auto row = this->token("1", "desk");
  ASSERT_TRUE(this->insert(row).ok());
  ASSERT_TRUE(this->remove("1").ok());
  EXPECT_THAT(this->store().list().value(), ::testing::IsEmpty());
  EXPECT_TRUE(this->remove("1").ok());
  EXPECT_TRUE(this->insert(row).ok());
}

TYPED_TEST_P(McpTokenStoreContract, TheLastUseStays) {
  auto row = this->token("1", "desk");
  ASSERT_TRUE(this->insert(row).ok());
  ASSERT_TRUE(this->used("1", 9).ok());
  ASSERT_TRUE(this->used("1", 5).ok());
  ASSERT_TRUE(this->used("unknown", 7).ok());
  row.last_used_at = 9;
  EXPECT_THAT(this->store().list().value(), ::testing::ElementsAre(row));
}

REGISTER_TYPED_TEST_SUITE_P(McpTokenStoreContract, HasNothingAtFirst, ListsByName,
                            IdsNamesAndHashesAreThereOnce, RefusesRowsWithoutTheirKeys,
                            WhatIsRemovedCanComeAgain, TheLastUseStays);

}  // namespace svc::storage
