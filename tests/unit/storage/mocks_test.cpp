#include <gtest/gtest.h>

#include "mocks/mock_key_value_store.h"
#include "mocks/mock_plugin_store.h"

namespace svc::storage {
namespace {

using ::testing::Return;
using ::testing::StrictMock;

TEST(MockKeyValueStoreTest, AnswersThroughTheCompletionItIsGiven) {
  StrictMock<MockKeyValueStore> store;
  EXPECT_CALL(store, set("todo", "k", ::testing::_, ::testing::_))
      .WillOnce([](auto, auto, auto, auto done) {
        done(Error{errc::kUnavailable, "disk full"});
      });
  Errc code = errc::kInternal;
  store.set("todo", "k", common::RawJson("1"),
            [&code](const Status& status) { code = status.error().code; });
  EXPECT_EQ(code, errc::kUnavailable);
}

TEST(MockPluginStoreTest, AnswersWhatItIsTold) {
  StrictMock<MockPluginStore> store;
  EXPECT_CALL(store, find("todo")).WillOnce(Return(std::optional<PluginRow>{}));
  EXPECT_CALL(store, remove("todo")).WillOnce(Return(Error{errc::kNotFound, "gone"}));
  EXPECT_EQ(store.find("todo").value(), std::nullopt);
  EXPECT_EQ(store.remove("todo").error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::storage
