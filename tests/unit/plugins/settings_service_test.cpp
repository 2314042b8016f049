#include "settings_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

#include "fakes/fake_executor.h"
#include "fixture.h"
#include "mocks/mock_generation.h"
#include "mocks/mock_loaded_plugins.h"

namespace svc::plugins {
namespace {

using common::Json;
using common::RawJson;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::Return;

class SettingsServiceTest : public ::testing::Test {
 protected:
  void load() {
    ON_CALL(*loaded_, acquire("todo", _))
        .WillByDefault([this](const std::string&, Completion<GenerationPtr> done) {
          done(GenerationPtr(generation_));
        });
  }

  svc::test::FakeMainExecutor main_;
  std::shared_ptr<NiceMock<MockLoadedPlugins>> loaded_ =
      std::make_shared<NiceMock<MockLoadedPlugins>>();
  std::shared_ptr<NiceMock<MockGeneration>> generation_ =
      std::make_shared<NiceMock<MockGeneration>>();
  SettingsService service_{main_, loaded_};
};

TEST_F(SettingsServiceTest, ReadsWhatTheGenerationHasPublished) {
  load();
  EXPECT_CALL(*generation_, registration("settings"))
      .WillOnce(Return(Json::parse(R"({"schema":{"a":{}},"values":{"a":1}})").value()));
  Answer<RawJson> view;
  service_.get("todo", view.completion());
  EXPECT_EQ(view.value().text(), R"({"schema":{"a":{}},"values":{"a":1}})");
}

TEST_F(SettingsServiceTest, APluginWithoutSettingsHasAnEmptySchema) {
  load();
  EXPECT_CALL(*generation_, registration("settings")).WillOnce(Return(Json()));
  Answer<RawJson> view;
  service_.get("todo", view.completion());
  EXPECT_EQ(view.value().text(), R"({"schema":{},"values":{}})");
}

TEST_F(SettingsServiceTest, NothingIsKnownBeforeALoad) {
  ON_CALL(*loaded_, acquire).WillByDefault([](const std::string&, Completion<GenerationPtr> done) {
    done(Error{errc::kPluginNotRunning, "disabled"});
  });
  Answer<RawJson> read;
  service_.get("todo", read.completion());
  EXPECT_EQ(read.error().code, errc::kPluginNotRunning);
  Answer<RawJson> saved;
  service_.save("todo", Json::object(), saved.completion());
  main_.runAll();
  EXPECT_EQ(saved.error().code, errc::kPluginNotRunning);
}

TEST_F(SettingsServiceTest, ASaveIsTheEnvironmentsToDecide) {
  load();
  EXPECT_CALL(*generation_, invoke("settings", _, _))
      .WillOnce([](const std::string&, const script::Invocation& invocation,
                   Completion<std::string> done) {
        EXPECT_EQ(invocation.function, "settings.save");
        EXPECT_EQ(invocation.meta, R"({"a":null})");
        done(std::string(R"({"schema":{},"values":{}})"));
      });
  Answer<RawJson> saved;
  service_.save("todo", Json::object().set("a", nullptr), saved.completion());
  main_.runAll();
  EXPECT_EQ(saved.value().text(), R"({"schema":{},"values":{}})");
}

TEST_F(SettingsServiceTest, PassesIssuesOn) {
  load();
  EXPECT_CALL(*generation_, invoke)
      .WillOnce([](const std::string&, const script::Invocation&, Completion<std::string> done) {
        Error refused{errc::kInvalidInput, "no"};
        refused.issues = R"([{"message":"no","path":["values","a"]}])";
        done(refused);
      });
  Answer<RawJson> saved;
  service_.save("todo", Json::object(), saved.completion());
  main_.runAll();
  EXPECT_EQ(saved.error().code, errc::kInvalidInput);
  EXPECT_THAT(saved.error().issues, HasSubstr("values"));
}

TEST_F(SettingsServiceTest, DoesNotWaitForEver) {
  load();
  Completion<std::string> never;
  EXPECT_CALL(*generation_, invoke)
      .WillOnce([&](const std::string&, const script::Invocation&, Completion<std::string> done) {
        never = std::move(done);
      });
  Answer<RawJson> saved;
  service_.save("todo", Json::object(), saved.completion());
  main_.runAll();
  main_.advance(limits::kRpcTimeout);
  main_.runAll();
  ASSERT_TRUE(saved.fired());
  EXPECT_EQ(saved.error().code, errc::kTimeout);
  EXPECT_THAT(saved.error().message, HasSubstr("limit rpcTimeout"));
}

}  // namespace
}  // namespace svc::plugins
