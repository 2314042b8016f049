#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/terminal_store.h"

namespace svc::storage {

/// What every ITerminalStore does. Rig offers `ITerminalStore& terminals()`.
template <class Rig>
class TerminalStoreContract : public ::testing::Test {
 protected:
  ITerminalStore& store() { return rig_.terminals(); }

  static TerminalRow terminal(std::string id, std::int64_t created_at = 1) {
    return {.id = std::move(id),
            .host_id = "host_a",
            .scope = R"({"kind":"host_path","hostId":"host_a","cwd":null})",
            .thread_id = "thr",
            .environment_id = "env",
            .title = "Büro",
            .status = "exited",
            .exit_code = 0,
            .close_reason = "user",
            .initial_cwd = "/home/a",
            .columns = 80,
            .rows = 24,
            .last_input_at = 5,
            .created_at = created_at,
            .updated_at = 7};
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(TerminalStoreContract);

TYPED_TEST_P(TerminalStoreContract, ListsByTimeThenId) {
  EXPECT_THAT(this->store().terminals().value(), ::testing::IsEmpty());
  const auto late = this->terminal("a", 3);
  const auto second = this->terminal("c", 2);
  const auto first = this->terminal("b", 2);
  ASSERT_TRUE(this->store().apply({.terminals = {late, second, first}}).ok());
  EXPECT_THAT(this->store().terminals().value(), ::testing::ElementsAre(first, second, late));
}

TYPED_TEST_P(TerminalStoreContract, ReplacesRowsAndKeepsThatThereIsNoExitCode) {
  auto row = this->terminal("a");
  ASSERT_TRUE(this->store().apply({.terminals = {row}}).ok());
  row.exit_code = kNoExitCode;
  row.status = "running";
  row.close_reason.clear();
  ASSERT_TRUE(this->store().apply({.terminals = {row}}).ok());
  EXPECT_THAT(this->store().terminals().value(), ::testing::ElementsAre(row));
}

TYPED_TEST_P(TerminalStoreContract, RemovalsComeFirst) {
  const auto row = this->terminal("a");
  ASSERT_TRUE(this->store().apply({.terminals = {row, this->terminal("b")}}).ok());
  ASSERT_TRUE(this->store().apply({.terminals = {row}, .gone = {"a", "b", "nobody"}}).ok());
  EXPECT_THAT(this->store().terminals().value(), ::testing::ElementsAre(row));
}

TYPED_TEST_P(TerminalStoreContract, RefusesRowsWithoutTheirKeysAsAWhole) {
  auto nowhere = this->terminal("b");
  nowhere.host_id.clear();
  for (const auto& bad : {this->terminal(""), nowhere}) {
    EXPECT_EQ(this->store().apply({.terminals = {this->terminal("a"), bad}}).error().code,
              errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().terminals().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(TerminalStoreContract, ListsByTimeThenId,
                            ReplacesRowsAndKeepsThatThereIsNoExitCode, RemovalsComeFirst,
                            RefusesRowsWithoutTheirKeysAsAWhole);

}  // namespace svc::storage
