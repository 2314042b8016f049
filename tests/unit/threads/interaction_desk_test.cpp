#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "interaction_desk_fixture.h"

namespace svc::threads {
namespace {

using common::Json;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(InteractionDeskTest, SaysWhatWasGrantedWhateverTheAnswerHas) {
  const auto payload = [](const char* subject) {
    return Json::parse(
               std::string(R"({"kind":"approval","availableDecisions":["allow_once","deny"],)") +
               R"("subject":)" + subject + "}")
        .value();
  };
  const auto read = [&](const char* subject, const char* resolution) {
    return readResolution(payload(subject), Json::parse(resolution).value()).value().dump();
  };
  const auto* const asks =
      R"({"kind":"permission_grant","permissions":{"fileSystem":null,"network":{"enabled":true}}})";
  EXPECT_EQ(
      read(asks, R"({"decision":"allow_once"})"),
      R"({"decision":"allow_once","grantedPermissions":{"fileSystem":null,"network":{"enabled":true}}})");
  EXPECT_EQ(read(R"({"kind":"command"})", R"({"decision":"allow_once","more":1})"),
            R"({"decision":"allow_once","grantedPermissions":null})");
  EXPECT_EQ(read(asks, R"({"decision":"deny"})"), R"({"decision":"deny"})");
}

TEST_F(InteractionDeskTest, AnAnswerReachesTheAgentOnce) {
  const auto id = asked();
  const auto record = desk().list(thread_).value().items().at(0);
  EXPECT_EQ(record["status"].asString(), "pending");
  EXPECT_EQ(record["providerRequestId"].asString(), "q-1");
  EXPECT_EQ(record["turnId"].asString(), turn_);
  EXPECT_CALL(agents_, answer(session_, "q-1", _, _))
      .WillOnce(
          [](const std::string&, const std::string&, const Json& answer, Completion<void> done) {
            EXPECT_EQ(answer.dump(), R"({"decision":"allow_once","grantedPermissions":null})");
            done({});
          });
  EXPECT_EQ(resolve(id, R"({"decision":"allow_once"})").value()["status"].asString(), "resolved");
  const auto second = resolve(id, R"({"decision":"deny"})").error();
  EXPECT_EQ(second.code, errc::kConflict);
  EXPECT_THAT(second.details, HasSubstr("allow_once"));
  EXPECT_THAT(desk().list(thread_).value().items(), IsEmpty());
  EXPECT_EQ(desk().get(thread_, id).value()["resolution"].dump(),
            R"({"decision":"allow_once","grantedPermissions":null})");
  EXPECT_THAT(logTypes(),
              ElementsAre("client/turn/requested", "thread/started", "turn/started",
                          "turn/input/accepted", "system/permissionGrant/lifecycle",
                          "system/permissionGrant/lifecycle", "system/permissionGrant/lifecycle"));
}

TEST_F(InteractionDeskTest, EveryQuestionOfAnAgentIsShownOrAnswered) {
  spawn();
  begin();
  std::vector<std::string> cancelled;
  EXPECT_CALL(agents_, answer(session_, _, _, _))
      .WillRepeatedly([&](const std::string&, const std::string& question, const Json& answer,
                          Completion<void> done) {
        cancelled.push_back(question + " " + answer["decision"].asString());
        done({});
      });
  for (std::size_t each = 0; each <= limits::kAgentQuestions; ++each) {
    EXPECT_TRUE(
        hear("question/asked", turn_,
             fmt::format(R"({{"questionId":"q-{}","payload":{{"kind":"approval"}}}})", each)));
  }
  EXPECT_EQ(book_->interactions(thread_).size(), limits::kAgentQuestions);
  EXPECT_THAT(cancelled, ElementsAre("q-256 cancel"));
}

TEST_F(InteractionDeskTest, AGrantForTheSessionAnswersWhatWaitsForIt) {
  spawn();
  begin();
  for (const std::string id : {"q-1", "q-2", "q-3"}) {
    EXPECT_TRUE(hear("question/asked", turn_,
                     R"({"questionId":")" + id +
                         R"(","payload":{"kind":"approval","reason":null,)"
                         R"("subject":{"kind":"command","itemId":"i"},)"
                         R"("availableDecisions":["allow_once","allow_for_session","deny"]}})"));
  }
  EXPECT_CALL(agents_, granted(session_, _))
      .WillOnce([](const std::string&, Completion<std::vector<std::string>> done) {
        done(std::vector<std::string>{"q-3", "gone"});
      });
  std::vector<std::string> given;
  EXPECT_CALL(agents_, answer(session_, _, _, _))
      .Times(2)
      .WillRepeatedly([&given](const std::string&, const std::string& question, const Json& answer,
                               Completion<void> done) {
        given.push_back(question + " " + answer["decision"].asString());
        done({});
      });
  // Those of one millisecond have no order.
  const auto all = book_->interactions(thread_);
  const auto first = std::find_if(all.begin(), all.end(), [](const auto& each) {
    return each.origin.find("q-1") != std::string::npos;
  });
  ASSERT_NE(first, all.end());
  EXPECT_TRUE(resolve(first->id, R"({"decision":"allow_for_session"})").ok());
  EXPECT_THAT(given, ElementsAre("q-1 allow_for_session", "q-3 allow_once"));
  ASSERT_EQ(book_->interactions(thread_).size(), 1U);
  EXPECT_THAT(book_->interactions(thread_).front().origin, HasSubstr("q-2"));
}

TEST_F(InteractionDeskTest, AnAnswerThatWasNotDeliveredCanBeGivenAgain) {
  const auto id = asked();
  EXPECT_CALL(agents_, answer(_, _, _, _))
      .WillOnce([](const std::string&, const std::string&, const Json&, Completion<void> done) {
        done(Error{errc::kHostUnavailable, "offline"});
      })
      .WillOnce([](const std::string&, const std::string&, const Json&, Completion<void> done) {
        done({});
      });
  EXPECT_EQ(resolve(id, R"({"decision":"deny"})").error().code, errc::kHostUnavailable);
  EXPECT_EQ(desk().get(thread_, id).value()["status"].asString(), "pending");
  EXPECT_TRUE(resolve(id, R"({"decision":"deny"})").ok());
}

TEST_F(InteractionDeskTest, TheLogSaysOnceThatAnAnswerDoesNotGetThrough) {
  const auto id = asked();
  const auto inVain = [](const std::string& why) {
    return [why](const std::string&, const std::string&, const Json&, Completion<void> done) {
      done(Error{errc::kHostUnavailable, why});
    };
  };
  EXPECT_CALL(agents_, answer(_, _, _, _))
      .WillOnce(inVain("the connection was lost"))
      .WillOnce(inVain("not connected"))
      .WillOnce(inVain("not connected"))
      .WillOnce(inVain("not connected"))
      .WillOnce([](const std::string&, const std::string&, const Json&, Completion<void> done) {
        done({});
      });
  for (int attempt = 0; attempt < 4; ++attempt) {
    EXPECT_EQ(resolve(id, R"({"decision":"deny"})").error().code, errc::kHostUnavailable);
  }
  EXPECT_EQ(desk().get(thread_, id).value()["statusReason"].asString(), "not connected");
  EXPECT_TRUE(resolve(id, R"({"decision":"deny"})").ok());
  EXPECT_THAT(statuses(), ElementsAre("pending", "resolving", "pending", "pending", "resolved"));
}

TEST_F(InteractionDeskTest, RefusesWhatCannotBeAnswered) {
  const auto id = asked();
  EXPECT_CALL(agents_, answer(_, _, _, _)).Times(0);
  EXPECT_EQ(resolve(id, R"({"decision":"allow_for_session"})").error().code, errc::kInvalidInput);
  EXPECT_EQ(desk().respond(thread_, id, "x").error().code, errc::kInvalidInput);
  EXPECT_EQ(resolve("int_x", R"({"decision":"deny"})").error().code, errc::kNotFound);
  EXPECT_EQ(desk().get("thr_x", id).error().code, errc::kNotFound);
  EXPECT_EQ(desk().get(thread_, id).value()["status"].asString(), "pending");
}

TEST_F(InteractionDeskTest, QuestionsTakeOptionsThatExist) {
  const auto payload =
      parse(R"({"kind":"user_question","questions":[{"id":"a","multiSelect":false,)"
            R"("options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}]})");
  EXPECT_TRUE(readResolution(payload, parse(R"({"answers":{"a":{"selected":["x"]}}})")).ok());
  EXPECT_TRUE(
      readResolution(parse(R"({"kind":"user_question","questions":[{"id":"a","optional":true}]})"),
                     parse(R"({"answers":{}})"))
          .ok());
  for (const char* refused :
       {R"({"answers":{"a":{"selected":["z"]}}})", R"({"answers":{"a":{"selected":["x","y"]}}})",
        R"({"answers":{}})", R"({"decision":"deny"})"}) {
    EXPECT_EQ(readResolution(payload, parse(refused)).error().code, errc::kInvalidInput) << refused;
  }
}

TEST_F(InteractionDeskTest, FreeTextIsForQuestionsThatTakeIt) {
  const auto payload = parse(
      R"({"kind":"user_question","questions":[{"id":"free","allowFreeText":true},)"
      R"({"id":"fixed","optional":true,"allowFreeText":false,"options":[{"value":"x","label":"X"}]}]})");
  const auto answer = [&](const std::string& answers) {
    return readResolution(payload, parse((R"({"answers":)" + answers + "}").c_str()));
  };
  const auto free = [](const std::string& text) {
    return R"({"free":{"selected":[],"freeText":)" + text + "}}";
  };
  EXPECT_TRUE(answer(free("\"" + std::string(kQuestionText, 'x') + "\"")).ok());
  EXPECT_THAT(answer(free("\"" + std::string(kQuestionText + 1, 'x') + "\"")).error().message,
              HasSubstr("freeText has 4097 characters (limit questionText: 4096)"));
  EXPECT_THAT(answer(free("7")).error().message, HasSubstr("answers.free.freeText"));
  EXPECT_THAT(answer(R"({"free":{"selected":[]},"fixed":{"selected":[],"freeText":"purple"}})")
                  .error()
                  .message,
              HasSubstr("answers.fixed.freeText: the question takes one of its options only"));
  EXPECT_THAT(answer(R"({"free":{"selected":[]},"other":{"selected":[]}})").error().message,
              HasSubstr("there is no question \"other\""));
}

TEST_F(InteractionDeskTest, AGrantIsAnObject) {
  const auto payload = parse(
      R"({"kind":"approval","availableDecisions":["allow_once","deny"],"subject":{"permissions":null}})");
  EXPECT_TRUE(
      readResolution(payload, parse(R"({"decision":"allow_once","grantedPermissions":null})"))
          .ok());
  EXPECT_EQ(readResolution(payload, parse(R"({"decision":"allow_once","grantedPermissions":5})"))
                .error()
                .code,
            errc::kInvalidInput);
}

TEST_F(InteractionDeskTest, APluginGetsItsAnswerAndTheLogOnlyThatThereIsOne) {
  add("thr_a");
  std::optional<Json> outcome;
  const auto form = parse(R"({"pluginId":"todo","rendererId":"r","title":"T","data":{"a":1}})");
  const auto id = desk()
                      .ask("thr_a", form, 0,
                           [&outcome](Result<Json> answer) { outcome = std::move(answer).value(); })
                      .value();
  EXPECT_TRUE(records_->get("thr_a").value()["hasPendingInteraction"].asBool());
  EXPECT_EQ(desk().respond("thr_a", id, "secret").value()["status"].asString(), "resolved");
  EXPECT_EQ(outcome->dump(),
            R"({"outcome":"submitted","value":"secret","interactionId":")" + id + R"("})");
  const auto logged = store_.events({.thread_id = "thr_a"}).value();
  for (const auto& event : logged) {
    EXPECT_THAT(event.data, ::testing::Not(HasSubstr("secret")));
  }
  EXPECT_EQ(desk().respond("thr_a", id, "again").error().code, errc::kConflict);
}

TEST_F(InteractionDeskTest, AFormEndsByCancelAndByTime) {
  add("thr_a");
  std::vector<std::string> reasons;
  const auto form = parse(R"({"pluginId":"todo","rendererId":"r","title":"T","data":{}})");
  const auto ask = [&](std::int64_t expires_at) {
    return desk()
        .ask("thr_a", form, expires_at,
             [&reasons](const Result<Json>& answer) {
               reasons.push_back(answer.value()["reason"].asString());
             })
        .value();
  };
  const auto first = ask(0);
  EXPECT_EQ(desk().cancel("thr_a", first, "user").value()["statusReason"].asString(), "user");
  ask(clock_.nowMs() + 10);
  desk().tick();
  EXPECT_THAT(reasons, ElementsAre("user"));
  clock_.advance(std::chrono::milliseconds(10));
  desk().tick();
  EXPECT_THAT(reasons, ElementsAre("user", "timeout"));
  EXPECT_EQ(desk().ask("thr_x", form, 0, [](const Result<Json>&) {}).error().code, errc::kNotFound);
}

}  // namespace
}  // namespace svc::threads
