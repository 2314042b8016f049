#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"

#include "fixture.h"
#include "keys.h"

namespace svc::machines {
namespace {

using storage::HostKeyKind;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class RegistryKeysTest : public MachinesFixture {
 protected:
  bool works(const std::string& host_key) { return registry_->authenticate(host_key).ok(); }
  std::string refusal(const std::string& key, std::optional<std::string> host_id = {}) {
    const auto refused = enroll(key, std::move(host_id));
    EXPECT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, errc::kUnauthorized);
    EXPECT_THAT(refused.error().message, HasSubstr("svc machine enroll"));
    return refused ? std::string() : refused.error().message;
  }
};

TEST_F(RegistryKeysTest, AJoinCodeMakesAHostWithAKey) {
  const auto code = registry_->issueKey(HostKeyKind::kJoin, {}, {});
  ASSERT_TRUE(code.ok());
  EXPECT_THAT(code.value().key, StartsWith("svce_"));
  EXPECT_EQ(code.value().expires_at, clock_.nowMs() + limits::kEnrollTtl.count());
  EXPECT_EQ(registry_->find(code.value().host_id), std::nullopt);
  EXPECT_THAT(announced_, IsEmpty());

  const auto host = enroll(code.value().key);
  ASSERT_TRUE(host.ok());
  EXPECT_EQ(host.value().host_id, code.value().host_id);
  EXPECT_THAT(host.value().host_key, StartsWith("svch_"));
  EXPECT_EQ(registry_->authenticate(host.value().host_key).value(), host.value().host_id);
  EXPECT_THAT(announced_, Contains(::testing::Pair(host.value().host_id, "host-updated")));
}

TEST_F(RegistryKeysTest, TheKeyOfARemovedMachineIsKnownAsSuch) {
  const auto details = [this](const std::string& key) {
    const auto refused = registry_->authenticate(key);
    EXPECT_EQ(refused.error().code, errc::kUnauthorized);
    return refused.error().details;
  };
  const auto host = enroll(issue()).value();
  ASSERT_TRUE(registry_->remove(host.host_id).ok());
  EXPECT_EQ(details(host.host_key), R"({"reason":"removed"})");
  EXPECT_EQ(details(host.host_key + "x"), "") << "what nobody has had says nothing of a machine";
  const auto& row = store_.key_rows.at(hashOf(host.host_key));
  EXPECT_EQ(row.kind, HostKeyKind::kRemoved);
  EXPECT_NE(row.used_at, 0) << "opens nothing, whatever an older program takes it for";
  clock_.advance(24h * 365);
  const auto again = enroll(issue(host.host_id)).value();
  ASSERT_TRUE(registry_->remove(again.host_id).ok());
  restart();
  EXPECT_EQ(details(host.host_key), R"({"reason":"removed"})");
  EXPECT_EQ(details(again.host_key), R"({"reason":"removed"})");
  EXPECT_FALSE(registry_->isHostKey(host.host_key));
}

TEST_F(RegistryKeysTest, SoManyKeysOfRemovedMachinesAreRemembered) {
  const auto first = enroll(issue()).value();
  ASSERT_TRUE(registry_->remove(first.host_id).ok());
  for (int more = 0; more < 1000; ++more) {
    clock_.advance(1ms);
    ASSERT_TRUE(registry_->remove(enroll(issue()).value().host_id).ok());
  }
  EXPECT_EQ(registry_->authenticate(first.host_key).error().details, "");
  EXPECT_EQ(
      std::count_if(store_.key_rows.begin(), store_.key_rows.end(),
                    [](const auto& each) { return each.second.kind == HostKeyKind::kRemoved; }),
      1000);
}

TEST_F(RegistryKeysTest, OnlyHashesAreStored) {
  const auto code = issue();
  const auto host = enroll(code).value();
  EXPECT_THAT(store_.key_rows, Contains(Key(hashOf(host.host_key))));
  for (const auto& [hash, row] : store_.key_rows) {
    EXPECT_EQ(hash.size(), 64U);
    EXPECT_THAT(hash, Not(HasSubstr(code.substr(5))));
    EXPECT_THAT(hash, Not(HasSubstr(host.host_key.substr(5))));
  }
  EXPECT_EQ(logged().find(host.host_key), std::string::npos);
}

TEST_F(RegistryKeysTest, AnEnrollKeyWorksOnce) {
  const auto code = issue();
  ASSERT_TRUE(enroll(code).ok());
  EXPECT_THAT(refusal(code), HasSubstr("has been used already"));
  restart();
  EXPECT_THAT(refusal(code), HasSubstr("has been used already"));
}

TEST_F(RegistryKeysTest, AnEnrollKeyThatCouldNotBeStoredIsNotUsedUp) {
  const auto code = issue();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(enroll(code).error().message, "disk full");
  EXPECT_EQ(registry_->list().size(), 1U);
  store_.broken.reset();
  EXPECT_TRUE(enroll(code).ok());
}

TEST_F(RegistryKeysTest, AnEnrollKeyExpires) {
  const auto late = issue();
  const auto in_time = issue();
  clock_.advance(limits::kEnrollTtl - 1ms);
  EXPECT_TRUE(enroll(in_time).ok());
  clock_.advance(1ms);
  EXPECT_THAT(refusal(late), HasSubstr("has expired"));
}

TEST_F(RegistryKeysTest, AnEnrollKeyIsForItsHost) {
  const auto code = registry_->issueKey(HostKeyKind::kJoin, {}, {}).value();
  EXPECT_THAT(refusal(code.key, "host_other"), HasSubstr("not for this host id"));
  EXPECT_TRUE(enroll(code.key, code.host_id).ok());
}

TEST_F(RegistryKeysTest, AnUnknownKeyIsRefused) {
  EXPECT_THAT(refusal("svce_none"), HasSubstr("is unknown"));
  const auto host = enrolled();
  EXPECT_THAT(refusal(host.host_key), HasSubstr("is unknown"));
}

TEST_F(RegistryKeysTest, ANewerCodeDisablesTheOlderOnesOfItsHost) {
  const auto first = issue("host_a");
  const auto other = issue("host_b");
  const auto second = issue("host_a");
  EXPECT_THAT(refusal(first), HasSubstr("a newer one replaced it"));
  EXPECT_TRUE(enroll(second).ok());
  EXPECT_TRUE(enroll(other).ok());
}

TEST_F(RegistryKeysTest, TheServersOwnMachineIsEnrolledLocallyOnly) {
  const auto id = registry_->serverHostId();
  EXPECT_EQ(registry_->issueKey(HostKeyKind::kJoin, id, {}).error().code, errc::kConflict);
  const auto key = registry_->issueKey(HostKeyKind::kLocal, id, {});
  const auto host = enroll(key.value().key, {}, "another name");
  ASSERT_TRUE(host.ok());
  EXPECT_EQ(host.value().host_id, id);
  EXPECT_EQ(record(id)["role"].asString(), "server");
  EXPECT_EQ(record(id)["name"].asString(), "home");
}

TEST_F(RegistryKeysTest, ANewHostKeyDisablesTheEarlierOnesWhenItIsUsed) {
  const auto before = enrolled();
  const auto fresh = enroll(issue(before.host_id)).value();
  EXPECT_TRUE(works(before.host_key));
  EXPECT_TRUE(works(fresh.host_key));
  EXPECT_FALSE(works(before.host_key));
  restart();
  EXPECT_TRUE(works(fresh.host_key));
  EXPECT_FALSE(works(before.host_key));
}

TEST_F(RegistryKeysTest, KeysOfTheSameMillisecondHaveAnOrder) {
  const auto first = enroll(issue("host_a")).value();
  const auto second = enroll(issue("host_a")).value();
  const auto third = enroll(issue("host_a")).value();
  EXPECT_TRUE(works(second.host_key));
  EXPECT_FALSE(works(first.host_key));
  EXPECT_TRUE(works(third.host_key));
  EXPECT_FALSE(works(second.host_key));
}

TEST_F(RegistryKeysTest, LookingAtAKeyIsNoUseOfIt) {
  const auto before = enrolled();
  const auto fresh = enroll(issue(before.host_id)).value();
  EXPECT_TRUE(registry_->isHostKey(fresh.host_key));
  EXPECT_TRUE(works(before.host_key));
  EXPECT_FALSE(registry_->isHostKey("svch_none"));
  EXPECT_FALSE(registry_->isHostKey(issue()));
}

TEST_F(RegistryKeysTest, AHostKeyIsRefusedWhenNobodyHasIt) {
  for (const auto& key : {std::string(), std::string("svch_none"), issue()}) {
    const auto refused = registry_->authenticate(key);
    EXPECT_EQ(refused.error().code, errc::kUnauthorized);
    EXPECT_THAT(refused.error().message, HasSubstr("svc machine enroll"));
  }
}

TEST_F(RegistryKeysTest, TheUseOfAKeyIsStoredOnce) {
  const auto host = enroll(issue()).value();
  ASSERT_TRUE(works(host.host_key));
  const auto stored = store_.changes;
  ASSERT_TRUE(works(host.host_key));
  EXPECT_EQ(store_.changes, stored);
  EXPECT_EQ(store_.key_rows.at(hashOf(host.host_key)).used_at, clock_.nowMs());
}

TEST_F(RegistryKeysTest, ANewHostIsCalledAsItsCodeSays) {
  const auto named = enroll(issue({}, "build box"), {}, "ip-10-0-0-7").value();
  EXPECT_EQ(record(named.host_id)["name"].asString(), "build box");
  const auto unnamed = enroll(issue(), {}, "build box").value();
  EXPECT_EQ(record(unnamed.host_id)["name"].asString(), "build box-2");
}

TEST_F(RegistryKeysTest, AHostThatEnrollsAgainKeepsItsName) {
  const auto host = enrolled("mac");
  ASSERT_TRUE(registry_->rename(host.host_id, "laptop").ok());
  registry_->connected(host.host_id, {});
  clock_.advance(1min);
  const auto created = record(host.host_id)["createdAt"].asInteger();
  ASSERT_TRUE(
      registry_->enroll(issue(host.host_id), {.host_name = "mac", .host_type = "ephemeral"}).ok());
  EXPECT_EQ(record(host.host_id)["name"].asString(), "laptop");
  EXPECT_EQ(record(host.host_id)["type"].asString(), "ephemeral");
  EXPECT_EQ(record(host.host_id)["createdAt"].asInteger(), created);
  EXPECT_TRUE(registry_->find(host.host_id)->connected);
  ASSERT_TRUE(enroll(issue(host.host_id, "desk")).ok());
  EXPECT_EQ(record(host.host_id)["name"].asString(), "desk");
}

TEST_F(RegistryKeysTest, OldEnrollKeysAreForgotten) {
  const auto used = issue();
  ASSERT_TRUE(enroll(used).ok());
  const auto unused = issue();
  clock_.advance(limits::kEnrollTtl + 1h + 1ms);
  issue();
  EXPECT_THAT(store_.key_rows, Not(Contains(Key(hashOf(used)))));
  EXPECT_THAT(store_.key_rows, Not(Contains(Key(hashOf(unused)))));
}

TEST_F(RegistryKeysTest, TooManyOpenCodesAreRefused) {
  for (int count = 0; count < 1000; ++count) {
    ASSERT_TRUE(registry_->issueKey(HostKeyKind::kJoin, {}, {}).ok());
  }
  EXPECT_EQ(registry_->issueKey(HostKeyKind::kJoin, {}, {}).error().code, errc::kOverloaded);
  clock_.advance(limits::kEnrollTtl);
  EXPECT_TRUE(registry_->issueKey(HostKeyKind::kJoin, {}, {}).ok());
}

TEST_F(RegistryKeysTest, ACodeThatCannotBeStoredIsNotGiven) {
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(registry_->issueKey(HostKeyKind::kJoin, {}, {}).error().message, "disk full");
  EXPECT_THAT(store_.key_rows, SizeIs(0));
}

}  // namespace
}  // namespace svc::machines
