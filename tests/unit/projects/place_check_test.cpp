#include "place_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "mocks/mock_host_commands.h"

namespace svc::projects {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::StrictMock;

class PlaceCheckTest : public ::testing::Test {
 protected:
  Result<Place> check(Place place) {
    std::optional<Result<Place>> answer;
    check_.check(std::move(place), [&](Result<Place> got) { answer = std::move(got); });
    return answer ? *answer : Result<Place>(Error{errc::kInternal, "no answer"});
  }
  void answers(Result<std::string> answer) {
    EXPECT_CALL(commands_, send("host_a", _, _, _))
        .WillOnce([this, answer = std::move(answer)](const std::string&, std::string command,
                                                     std::chrono::milliseconds,
                                                     Completion<std::string> done) {
          asked_ = std::move(command);
          done(answer);
        });
  }

  StrictMock<hosts::MockHostCommands> commands_;
  PlaceCheck check_{&commands_};
  std::string asked_;
};

TEST_F(PlaceCheckTest, TakesTheFolderAsItsMachineCallsIt) {
  answers(std::string(R"({"directory":"/home/ada/shop","parent":"/home/ada","entries":[]})"));
  const auto place = check({"host_a", "~/./shop/"});
  ASSERT_TRUE(place.ok());
  EXPECT_EQ(place.value().path, "/home/ada/shop");
  EXPECT_EQ(place.value().host_id, "host_a");
  EXPECT_EQ(asked_, R"({"type":"host.directory","path":"~/./shop/"})");
}

TEST_F(PlaceCheckTest, APathThatIsNoFolderIsTheCallersMistake) {
  for (const auto& code : {errc::kInvalidInput, errc::kForbidden}) {
    answers(Error{code, "/x is a file"});
    const auto refused = check({"host_a", "/x"});
    EXPECT_EQ(refused.error().code, errc::kInvalidInput);
    EXPECT_EQ(refused.error().message, "/x is a file");
  }
}

TEST_F(PlaceCheckTest, AFolderThatIsNotThereIsNotFound) {
  answers(Error{errc::kNotFound, "/x does not exist"});
  const auto refused = check({"host_a", "/x"});
  EXPECT_EQ(refused.error().code, errc::kNotFound);
  EXPECT_EQ(refused.error().message, "/x does not exist");
}

TEST_F(PlaceCheckTest, AMachineThatCannotBeAskedIsNamed) {
  for (const auto& code :
       {errc::kUnknownHost, errc::kHostUnavailable, errc::kTimeout, errc::kTooManyCalls}) {
    answers(Error{code, "it is away"});
    EXPECT_EQ(check({"host_a", "/x"}).error().code, code);
  }
}

TEST_F(PlaceCheckTest, AFailureOfTheMachineIsOne) {
  answers(Error{errc::kUnavailable, "input/output error"});
  const auto failed = check({"host_a", "/x"});
  EXPECT_EQ(failed.error().code, errc::kHostError);
  EXPECT_THAT(failed.error().details, HasSubstr("unavailable"));
  for (const char* odd : {"{}", "[]", "no json", R"({"directory":7})"}) {
    answers(std::string(odd));
    EXPECT_EQ(check({"host_a", "/x"}).error().code, errc::kHostError) << odd;
  }
}

TEST(PlaceCheckWithoutMachinesTest, SaysSo) {
  const PlaceCheck check(nullptr);
  std::optional<Result<Place>> answer;
  check.check({"host_a", "/x"}, [&](Result<Place> got) { answer = std::move(got); });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().code, errc::kHostUnavailable);
}

}  // namespace
}  // namespace svc::projects
