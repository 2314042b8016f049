// The allocator under SQLite: whose memory a block is.
#include "memory_account.h"

#include <cstdlib>
#include <iostream>
#include <thread>

#include <gmock/gmock.h>
#include <sqlite3.h>

namespace svc::database {
namespace {

constexpr int kKiB = 1024;

class MemoryAccountTest : public ::testing::Test {
 protected:
  MemoryAccountTest() { EXPECT_TRUE(MemoryAccount::install().ok()); }
  ~MemoryAccountTest() override { MemoryAccount::enter(nullptr); }
};

TEST_F(MemoryAccountTest, CountsWhatTheThreadHasAndNoMore) {
  const auto account = MemoryAccount::open(0);
  MemoryAccount::enter(account.get());
  void* block = sqlite3_malloc(kKiB);
  EXPECT_GE(account->used(), 1UL * kKiB);
  EXPECT_LT(account->used(), 2UL * kKiB);
  block = sqlite3_realloc(block, 8 * kKiB);
  EXPECT_GE(account->used(), 8UL * kKiB);
  EXPECT_EQ(sqlite3_msize(block), 8UL * kKiB);
  block = sqlite3_realloc(block, 2 * kKiB);
  EXPECT_LT(account->used(), 3UL * kKiB);
  sqlite3_free(block);
  EXPECT_EQ(account->used(), 0U);
}

TEST_F(MemoryAccountTest, AThreadWithoutAnAccountIsNotCounted) {
  const auto account = MemoryAccount::open(0);
  MemoryAccount::enter(account.get());
  std::jthread([] { sqlite3_free(sqlite3_malloc(kKiB)); }).join();
  void* block = nullptr;
  std::jthread([&block] { block = sqlite3_malloc(kKiB); }).join();
  EXPECT_EQ(account->used(), 0U);
  // Nor does it become the account of whoever goes on with it.
  block = sqlite3_realloc(block, 8 * kKiB);
  EXPECT_EQ(account->used(), 0U);
  sqlite3_free(block);
}

TEST_F(MemoryAccountTest, WhatAnotherThreadFreesIsBookedOff) {
  const auto account = MemoryAccount::open(0);
  MemoryAccount::enter(account.get());
  void* block = sqlite3_malloc(kKiB);
  std::jthread([block] {
    const auto other = MemoryAccount::open(0);
    MemoryAccount::enter(other.get());
    sqlite3_free(block);
    EXPECT_EQ(other->used(), 0U);
  }).join();
  EXPECT_EQ(account->used(), 0U);
}

TEST_F(MemoryAccountTest, RefusesWhatIsBeyondTheLimitAndKeepsWhatIsThere) {
  const auto account = MemoryAccount::open(16UL * kKiB);
  MemoryAccount::enter(account.get());
  void* block = sqlite3_malloc(8 * kKiB);
  ASSERT_NE(block, nullptr);
  const auto used = account->used();
  EXPECT_EQ(account->takeRefusal().wanted, 0U);
  EXPECT_EQ(sqlite3_malloc(9 * kKiB), nullptr);
  const auto refusal = account->takeRefusal();
  EXPECT_EQ(refusal.used, used);
  EXPECT_GE(refusal.wanted, 9UL * kKiB);
  EXPECT_EQ(account->takeRefusal().wanted, 0U);
  EXPECT_EQ(sqlite3_realloc(block, 17 * kKiB), nullptr);
  EXPECT_EQ(account->used(), used);
  void* small = sqlite3_malloc(kKiB);
  EXPECT_NE(small, nullptr);
  sqlite3_free(small);
  sqlite3_free(block);
  EXPECT_EQ(account->used(), 0U);
}

TEST_F(MemoryAccountTest, ABlockOutlivesTheHandle) {
  auto account = MemoryAccount::open(0);
  MemoryAccount::enter(account.get());
  void* block = sqlite3_malloc(kKiB);
  MemoryAccount::enter(nullptr);
  account.reset();
  block = sqlite3_realloc(block, 2 * kKiB);
  sqlite3_free(block);  // and the account with it
}

TEST(MemoryAccountDeathTest, IsNotInstalledUnderSomebodyWhoUsesSqlite) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        sqlite3_initialize();
        const auto status = MemoryAccount::install();
        std::cerr << (status ? "installed" : status.error().message) << '\n';
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "something in this process has used SQLite before");
}

}  // namespace
}  // namespace svc::database
