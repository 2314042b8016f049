#pragma once

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"
#include "svc/kernel/thread_role.h"
#include "svc/storage/key_value_store.h"

#include "contract/storage/await.h"

namespace svc::storage {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What every IKeyValueStore does. Rig offers `IKeyValueStore& keyValues()`.
template <class Rig>
class KeyValueStoreContract : public ::testing::Test {
 protected:
  using Keys = std::vector<std::string>;
  using Value = std::optional<common::RawJson>;

  static common::RawJson json(std::string text) { return common::RawJson(std::move(text)); }

  /// The stored text, "absent", or "error:<code>".
  std::string get(const std::string& name_space, const std::string& key) {
    auto got =
        test::await<Value>([&](auto done) { store().get(name_space, key, std::move(done)); });
    if (!got) {
      return "error:" + std::string(got.error().code.name());
    }
    return got.value() ? got.value()->text() : "absent";
  }
  Status set(const std::string& name_space, const std::string& key, std::string text) {
    return test::await<void>(
        [&](auto done) { store().set(name_space, key, json(std::move(text)), std::move(done)); });
  }
  Status remove(const std::string& name_space, const std::string& key) {
    return test::await<void>([&](auto done) { store().remove(name_space, key, std::move(done)); });
  }
  Result<Keys> list(const std::string& name_space, const std::string& prefix) {
    return test::await<Keys>([&](auto done) { store().list(name_space, prefix, std::move(done)); });
  }
  Result<bool> swap(const std::string& key, Value expected, Value next) {
    return test::await<bool>([&](auto done) {
      store().compareAndSet("todo", key, std::move(expected), std::move(next), std::move(done));
    });
  }

  IKeyValueStore& store() { return rig_.keyValues(); }

  Rig rig_;
};

TYPED_TEST_SUITE_P(KeyValueStoreContract);

TYPED_TEST_P(KeyValueStoreContract, ReturnsTheBytesThatWereSet) {
  const std::string text = R"({"é":[1,2.50,null],"s":"\u0000"})";
  ASSERT_TRUE(this->set("todo", "list", text).ok());
  EXPECT_EQ(this->get("todo", "list"), text);
  ASSERT_TRUE(this->set("todo", "list", "[]").ok());
  EXPECT_EQ(this->get("todo", "list"), "[]");
}

TYPED_TEST_P(KeyValueStoreContract, AnswersNothingForAnAbsentKey) {
  EXPECT_EQ(this->get("todo", "list"), "absent");
}

TYPED_TEST_P(KeyValueStoreContract, KeepsNamespacesApart) {
  ASSERT_TRUE(this->set("a", "key", "1").ok());
  ASSERT_TRUE(this->set("b", "key", "2").ok());
  ASSERT_TRUE(this->remove("a", "key").ok());
  EXPECT_EQ(this->get("a", "key"), "absent");
  EXPECT_EQ(this->get("b", "key"), "2");
}

TYPED_TEST_P(KeyValueStoreContract, RemovesWhetherOrNotTheKeyIsThere) {
  ASSERT_TRUE(this->set("todo", "list", "[]").ok());
  EXPECT_TRUE(this->remove("todo", "list").ok());
  EXPECT_TRUE(this->remove("todo", "list").ok());
  EXPECT_EQ(this->get("todo", "list"), "absent");
}

TYPED_TEST_P(KeyValueStoreContract, ListsKeysWithThePrefixByTheirBytes) {
  for (const char* key : {"b", "a\xF0\x9F\x98\x80", "a", "a/2", "a/10", "a\xC3\xA9", "B", "a%"}) {
    ASSERT_TRUE(this->set("todo", key, "1").ok());
  }
  ASSERT_TRUE(this->set("other", "a/3", "1").ok());
  EXPECT_THAT(this->list("todo", "a/").value(), ElementsAre("a/10", "a/2"));
  EXPECT_THAT(this->list("todo", "").value(),
              ElementsAre("B", "a", "a%", "a/10", "a/2", "a\xC3\xA9", "a\xF0\x9F\x98\x80", "b"));
  EXPECT_THAT(this->list("todo", "zz").value(), IsEmpty());
  EXPECT_THAT(this->list("nobody", "").value(), IsEmpty());
}

TYPED_TEST_P(KeyValueStoreContract, TreatsAZeroByteInAKeyAsAnyOther) {
  using namespace std::string_literals;
  ASSERT_TRUE(this->set("todo", "a\0b"s, "1").ok());
  EXPECT_EQ(this->get("todo", "a\0b"s), "1");
  EXPECT_EQ(this->get("todo", "a"), "absent");
  EXPECT_THAT(this->list("todo", "a").value(), ElementsAre("a\0b"s));
}

TYPED_TEST_P(KeyValueStoreContract, SwapsWhenTheStoredValueIsTheExpectedOne) {
  EXPECT_TRUE(this->swap("k", std::nullopt, this->json("1")).value());
  EXPECT_EQ(this->get("todo", "k"), "1");
  EXPECT_TRUE(this->swap("k", this->json("1"), this->json("2")).value());
  EXPECT_EQ(this->get("todo", "k"), "2");
  EXPECT_TRUE(this->swap("k", this->json("2"), std::nullopt).value());
  EXPECT_EQ(this->get("todo", "k"), "absent");
  EXPECT_TRUE(this->swap("k", std::nullopt, std::nullopt).value());
  ASSERT_TRUE(this->set("todo", "k", R"({"a":1,"b":2})").ok());
  EXPECT_TRUE(this->swap("k", this->json(R"({"b":2,"a":1})"), this->json("3")).value());
}

TYPED_TEST_P(KeyValueStoreContract, SwapsNothingWhenTheStoredValueDiffers) {
  ASSERT_TRUE(this->set("todo", "k", "1").ok());
  EXPECT_FALSE(this->swap("k", std::nullopt, this->json("2")).value());
  EXPECT_FALSE(this->swap("k", this->json("1.0"), this->json("2")).value());
  EXPECT_FALSE(this->swap("k", this->json("1.0"), std::nullopt).value());
  EXPECT_EQ(this->get("todo", "k"), "1");
  EXPECT_FALSE(this->swap("absent", this->json("1"), this->json("2")).value());
  ASSERT_TRUE(this->set("todo", "o", R"({"a":1,"b":2})").ok());
  EXPECT_FALSE(this->swap("o", this->json(R"({"b":1,"a":2})"), this->json("3")).value());
  EXPECT_EQ(this->get("todo", "absent"), "absent");
}

TYPED_TEST_P(KeyValueStoreContract, ClearsOneNamespaceAndCountsItsKeys) {
  ASSERT_TRUE(this->set("todo", "a", "1").ok());
  ASSERT_TRUE(this->set("todo", "b", "1").ok());
  ASSERT_TRUE(this->set("other", "a", "1").ok());
  const auto clear = [this] {
    return test::await<std::size_t>(
               [&](auto done) { this->store().clear("todo", std::move(done)); })
        .value();
  };
  EXPECT_EQ(clear(), 2U);
  EXPECT_EQ(clear(), 0U);
  EXPECT_EQ(this->get("todo", "a"), "absent");
  EXPECT_EQ(this->get("other", "a"), "1");
}

TYPED_TEST_P(KeyValueStoreContract, AppliesRequestsOfANamespaceInCallOrder) {
  test::Awaited<std::optional<common::RawJson>> first;
  test::Awaited<std::optional<common::RawJson>> second;
  test::Awaited<std::vector<std::string>> third;
  this->store().set("todo", "k", this->json("1"), {});
  this->store().get("todo", "k", first.completion());
  this->store().set("todo", "k", this->json("2"), {});
  this->store().set("todo", "l", this->json("3"), {});
  this->store().get("todo", "k", second.completion());
  this->store().remove("todo", "k", {});
  this->store().list("todo", "", third.completion());
  EXPECT_EQ(first.get().value()->text(), "1");
  EXPECT_EQ(second.get().value()->text(), "2");
  EXPECT_THAT(third.get().value(), ElementsAre("l"));
}

TYPED_TEST_P(KeyValueStoreContract, ShowsAReadNothingOfALaterWrite) {
  constexpr int kRounds = 200;
  std::vector<test::Awaited<std::optional<common::RawJson>>> reads(kRounds);
  std::vector<test::Awaited<std::vector<std::string>>> lists(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    const auto name_space = "n" + std::to_string(round);
    this->store().get(name_space, "k", reads[static_cast<std::size_t>(round)].completion());
    this->store().list(name_space, "", lists[static_cast<std::size_t>(round)].completion());
    this->store().set(name_space, "k", this->json("1"), {});
  }
  for (auto& read : reads) {
    EXPECT_FALSE(read.get().value().has_value());
  }
  for (auto& list : lists) {
    EXPECT_THAT(list.get().value(), IsEmpty());
  }
}

TYPED_TEST_P(KeyValueStoreContract, ShowsAWriteToEveryReadThatFollowsItsAnswer) {
  for (int round = 0; round < 100; ++round) {
    const auto text = std::to_string(round);
    ASSERT_TRUE(this->set("todo", "k", text).ok());
    EXPECT_EQ(this->get("todo", "k"), text);
    ASSERT_TRUE(this->remove("todo", "k").ok());
    EXPECT_EQ(this->get("todo", "k"), "absent");
  }
}

TYPED_TEST_P(KeyValueStoreContract, AnswersOnAStoreThread) {
  auto seen = std::make_shared<std::promise<std::pair<ThreadRole, std::thread::id>>>();
  this->store().set("todo", "k", this->json("1"), [seen](const Status&) {
    seen->set_value({threadRole(), std::this_thread::get_id()});
  });
  const auto [role, thread] = seen->get_future().get();
  EXPECT_EQ(role, ThreadRole::kStore);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TYPED_TEST_P(KeyValueStoreContract, LetsAnAnswerMakeTheNextRequest) {
  test::Awaited<std::optional<common::RawJson>> answer;
  this->store().set("todo", "k", this->json("1"), [this, &answer](Status) {
    this->store().get("todo", "k", answer.completion());
  });
  EXPECT_EQ(answer.get().value()->text(), "1");
}

TYPED_TEST_P(KeyValueStoreContract, TakesKeysAndValuesUpToTheirLimits) {
  const std::string key(limits::kKvKey, 'k');
  const std::string value = '"' + std::string(limits::kKvValue - 2, 'v') + '"';
  ASSERT_TRUE(this->set("todo", key, value).ok());
  EXPECT_EQ(this->get("todo", key), value);
}

TYPED_TEST_P(KeyValueStoreContract, RefusesALongerValueAndNamesBothSizes) {
  ASSERT_TRUE(this->set("todo", "k", "1").ok());
  const auto value = '"' + std::string(limits::kKvValue - 1, 'v') + '"';
  const auto refused = this->set("todo", "k", value);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(limits::kKvValue)));
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(limits::kKvValue + 1)));
  EXPECT_EQ(this->swap("k", this->json("1"), this->json(value)).error().code, errc::kTooLarge);
  EXPECT_EQ(this->get("todo", "k"), "1");
}

TYPED_TEST_P(KeyValueStoreContract, RefusesALongerKeyAndNamesBothSizes) {
  const std::string key(limits::kKvKey + 1, 'k');
  const auto refused = this->set("todo", key, "1");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, errc::kTooLarge);
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(limits::kKvKey)));
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(key.size())));
  EXPECT_EQ(this->get("todo", key), "error:too_large");
  EXPECT_EQ(this->remove("todo", key).error().code, errc::kTooLarge);
}

TYPED_TEST_P(KeyValueStoreContract, RefusesAnEmptyKeyAndAnEmptyNamespace) {
  EXPECT_EQ(this->get("todo", ""), "error:invalid_argument");
  EXPECT_EQ(this->set("todo", "", "1").error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->remove("todo", "").error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->swap("", std::nullopt, std::nullopt).error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->get("", "k"), "error:invalid_argument");
  EXPECT_EQ(this->list("", "").error().code, errc::kInvalidArgument);
  const auto cleared =
      test::await<std::size_t>([&](auto done) { this->store().clear("", std::move(done)); });
  EXPECT_EQ(cleared.error().code, errc::kInvalidArgument);
}

TYPED_TEST_P(KeyValueStoreContract, TakesRequestsFromManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kIncrements = 25;
  ASSERT_TRUE(this->set("todo", "n", "0").ok());
  std::vector<std::thread> threads;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([this] {
      for (int done = 0; done < kIncrements;) {
        const auto now = this->get("todo", "n");
        done +=
            this->swap("n", this->json(now), this->json(std::to_string(std::stoi(now) + 1))).value()
                ? 1
                : 0;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(this->get("todo", "n"), std::to_string(kThreads * kIncrements));
}

REGISTER_TYPED_TEST_SUITE_P(
    KeyValueStoreContract, ReturnsTheBytesThatWereSet, AnswersNothingForAnAbsentKey,
    KeepsNamespacesApart, RemovesWhetherOrNotTheKeyIsThere, ListsKeysWithThePrefixByTheirBytes,
    TreatsAZeroByteInAKeyAsAnyOther, SwapsWhenTheStoredValueIsTheExpectedOne,
    SwapsNothingWhenTheStoredValueDiffers, ClearsOneNamespaceAndCountsItsKeys,
    AppliesRequestsOfANamespaceInCallOrder, ShowsAReadNothingOfALaterWrite,
    ShowsAWriteToEveryReadThatFollowsItsAnswer, AnswersOnAStoreThread,
    LetsAnAnswerMakeTheNextRequest, TakesKeysAndValuesUpToTheirLimits,
    RefusesALongerValueAndNamesBothSizes, RefusesALongerKeyAndNamesBothSizes,
    RefusesAnEmptyKeyAndAnEmptyNamespace, TakesRequestsFromManyThreads);

}  // namespace svc::storage
