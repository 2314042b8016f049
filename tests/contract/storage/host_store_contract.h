#pragma once

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/storage/host_store.h"

namespace svc::storage {

/// What every IHostStore does. Rig offers `IHostStore& hosts()`.
template <class Rig>
class HostStoreContract : public ::testing::Test {
 protected:
  IHostStore& store() { return rig_.hosts(); }

  static HostRow host(std::string id) {
    return {.id = std::move(id),
            .name = "Büro",
            .type = "persistent",
            .is_server = true,
            .last_seen_at = 1,
            .last_rejected_protocol = 2,
            .created_at = 3,
            .updated_at = 4};
  }
  static HostKeyRow key(std::string hash, std::string host_id,
                        HostKeyKind kind = HostKeyKind::kHost) {
    return {.hash = std::move(hash),
            .host_id = std::move(host_id),
            .kind = kind,
            .host_name = "mac",
            .created_at = 1,
            .expires_at = 2,
            .used_at = 3};
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(HostStoreContract);

TYPED_TEST_P(HostStoreContract, HasNothingAtFirst) {
  EXPECT_THAT(this->store().hosts().value(), ::testing::IsEmpty());
  EXPECT_THAT(this->store().keys().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(HostStoreContract, ListsHostsByIdAndKeysByHash) {
  const auto a = this->host("host_a");
  const auto b = this->host("host_b");
  const auto join = this->key("2", "host_b", HostKeyKind::kJoin);
  const auto local = this->key("1", "host_a", HostKeyKind::kLocal);
  const auto session = this->key("3", "host_a");
  const auto removed = this->key("4", "host_c", HostKeyKind::kRemoved);
  ASSERT_TRUE(this->store().apply({.hosts = {b, a}, .keys = {session, removed, join, local}}).ok());
  EXPECT_THAT(this->store().hosts().value(), ::testing::ElementsAre(a, b));
  EXPECT_THAT(this->store().keys().value(), ::testing::ElementsAre(local, join, session, removed));
}

TYPED_TEST_P(HostStoreContract, ReplacesRows) {
  auto host = this->host("host_a");
  auto key = this->key("1", "host_a");
  ASSERT_TRUE(this->store().apply({.hosts = {host}, .keys = {key}}).ok());
  host.name = "other";
  host.is_server = false;
  host.last_rejected_protocol = kNoProtocol;
  key.used_at = 9;
  ASSERT_TRUE(this->store().apply({.hosts = {host}, .keys = {key}}).ok());
  EXPECT_THAT(this->store().hosts().value(), ::testing::ElementsAre(host));
  EXPECT_THAT(this->store().keys().value(), ::testing::ElementsAre(key));
}

TYPED_TEST_P(HostStoreContract, AHostTakesItsKeysAlong) {
  const auto other = this->key("2", "host_b");
  ASSERT_TRUE(this->store()
                  .apply({.hosts = {this->host("host_a"), this->host("host_b")},
                          .keys = {this->key("1", "host_a"), other}})
                  .ok());
  ASSERT_TRUE(this->store().apply({.gone_hosts = {"host_a", "nobody"}}).ok());
  EXPECT_THAT(this->store().hosts().value(), ::testing::ElementsAre(this->host("host_b")));
  EXPECT_THAT(this->store().keys().value(), ::testing::ElementsAre(other));
}

TYPED_TEST_P(HostStoreContract, RemovalsComeFirst) {
  const auto host = this->host("host_a");
  const auto fresh = this->key("2", "host_a");
  ASSERT_TRUE(this->store().apply({.hosts = {host}, .keys = {this->key("1", "host_a")}}).ok());
  ASSERT_TRUE(
      this->store().apply({.hosts = {host}, .keys = {fresh}, .gone_hosts = {"host_a"}}).ok());
  EXPECT_THAT(this->store().hosts().value(), ::testing::ElementsAre(host));
  EXPECT_THAT(this->store().keys().value(), ::testing::ElementsAre(fresh));
  ASSERT_TRUE(this->store().apply({.gone_keys = {"2", "unknown"}}).ok());
  EXPECT_THAT(this->store().keys().value(), ::testing::IsEmpty());
}

TYPED_TEST_P(HostStoreContract, RefusesRowsWithoutTheirKeyAsAWhole) {
  const auto refused = this->store().apply({.hosts = {this->host("host_a"), this->host("")}});
  EXPECT_EQ(refused.error().code, errc::kInvalidArgument);
  for (const auto& key : {this->key("", "host_a"), this->key("1", "")}) {
    EXPECT_EQ(this->store().apply({.hosts = {this->host("host_a")}, .keys = {key}}).error().code,
              errc::kInvalidArgument);
  }
  EXPECT_THAT(this->store().hosts().value(), ::testing::IsEmpty());
}

REGISTER_TYPED_TEST_SUITE_P(HostStoreContract, HasNothingAtFirst, ListsHostsByIdAndKeysByHash,
                            ReplacesRows, AHostTakesItsKeysAlong, RemovalsComeFirst,
                            RefusesRowsWithoutTheirKeyAsAWhole);

}  // namespace svc::storage
