// What an agent asks of people.
#include "svc/common/codes.h"

#include "session.h"
#include "session_fixture.h"

namespace svc::agentd {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionQuestionsTest : public SessionFixture {
 protected:
  /// Answers a question that is a choice.
  Status choose(const Json& asked, const std::string& value) {
    const auto selected = Json::object().set("selected", Json::Array{Json(value)});
    return session_->answer(Json::object()
                                .set("questionId", asked["questionId"])
                                .set("answers", Json::object().set("choice", selected)));
  }
};

TEST_F(SessionQuestionsTest, PermissionsWaitForAnAnswer) {
  const std::string script =
      R"({"turns":[[{"request":{"method":"session/request_permission","params":{
      "toolCall":{"toolCallId":"c","title":"rm x","kind":"execute","rawInput":{"command":"rm x"}},
      "options":[{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}},"say":true}]]})";
  ASSERT_TRUE(open(script).ok());
  const auto ask = [&](const std::string& turn, std::size_t times) {
    prompt(turn);
    return untilTold("question/asked", times);
  };
  const auto asked = ask("t1", 1);
  EXPECT_EQ(asked["payload"]["kind"].asString(), "approval");
  EXPECT_EQ(asked["payload"]["subject"]["command"].asString(), "rm x");
  EXPECT_EQ(asked["payload"]["availableDecisions"].dump(),
            R"(["allow_once","allow_for_session","deny"])");
  const auto answer = [&](const Json& to, const std::string& decision) {
    return session_->answer(
        Json::object().set("questionId", to["questionId"]).set("decision", decision));
  };
  EXPECT_EQ(answer(asked, "perhaps").error().code, errc::kInvalidInput);
  ASSERT_TRUE(answer(asked, "allow_for_session").ok());
  EXPECT_EQ(answer(asked, "deny").error().code, errc::kConflict) << "the first answer counts";
  untilTold("turn/completed");
  EXPECT_EQ(said(), R"({"outcome":{"outcome":"selected","optionId":"once"}})") << "never for ever";
  const auto denied = ask("t2", 2);
  ASSERT_TRUE(answer(denied, "deny").ok());
  untilTold("turn/completed", 2);
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"no")"));
  EXPECT_THAT(all("question/withdrawn"), IsEmpty());
}

TEST_F(SessionQuestionsTest, QuestionsInTheFormOfPermissionsAreQuestions) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"_meta":{"qwenInteractionKind":"user_question"},
    "toolCall":{"toolCallId":"q","title":"Which colour?"},"options":[{"optionId":"r","name":"Red","kind":"allow_once"},{"optionId":"g","name":"Green","kind":"allow_once"}]}},"say":true}]]})")
          .ok());
  prompt("t1");
  const auto asked = untilTold("question/asked");
  EXPECT_EQ(asked["payload"]["kind"].asString(), "user_question");
  EXPECT_EQ(asked["payload"]["questions"].items()[0]["options"].items()[1]["label"].asString(),
            "Green");
  ASSERT_TRUE(choose(asked, "g").ok());
  untilTold("turn/completed");
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"g")"));
}

TEST_F(SessionQuestionsTest, WhatIsNoPermissionRequestIsNotAsked) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"q"}}},"say":true}]]})")
          .ok());
  prompt("t1");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "completed")
      << "nobody is waited for";
  EXPECT_TRUE(all("question/asked").empty());
  EXPECT_THAT(said(), HasSubstr("-32602"));
}

TEST_F(SessionQuestionsTest, SeveralWaysToAllowAreAQuestion) {
  ASSERT_TRUE(open(
                  R"({"turns":[[{"request":{"method":"session/request_permission","params":{
    "toolCall":{"toolCallId":"q","title":"Which database?"},"options":[{"optionId":"p","name":"Postgres","kind":"allow_once"},{"optionId":"s","name":"SQLite","kind":"allow_once"},{"optionId":"n","name":"None","kind":"reject_once"}]}},"say":true}]]})")
                  .ok());
  prompt("t1");
  const auto asked = untilTold("question/asked");
  EXPECT_EQ(asked["payload"]["kind"].asString(), "user_question");
  EXPECT_EQ(asked["payload"]["questions"].items()[0]["options"].items().size(), 3U);
  ASSERT_TRUE(choose(asked, "s").ok());
  untilTold("turn/completed");
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"s")"));
}

TEST_F(SessionQuestionsTest, AChoiceOfNothingIsNotAsked) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"_meta":{"qwenInteractionKind":"user_question"},
    "toolCall":{"toolCallId":"q","title":"Which colour?"},"options":[]}},"say":true}]]})")
          .ok());
  prompt("t1");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "completed")
      << "nobody is waited for";
  EXPECT_TRUE(all("question/asked").empty());
  EXPECT_THAT(untilTold("provider/warning")["details"].asString(),
              HasSubstr("Which colour? (it has 0 choices"));
  EXPECT_THAT(said(), HasSubstr("-32602"));
}

TEST_F(SessionQuestionsTest, OptionsOfOneIdThatMeanTwoThingsAreNotAsked) {
  ASSERT_TRUE(open(
                  R"({"turns":[[{"request":{"method":"session/request_permission","params":{
    "toolCall":{"toolCallId":"q","title":"rm x","kind":"execute"},"options":[{"optionId":"a","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"No","kind":"reject_once"}]}},"say":true}]]})")
                  .ok());
  prompt("t1");
  EXPECT_EQ(untilTold("turn/completed")["status"].asString(), "completed")
      << "nobody is waited for";
  EXPECT_TRUE(all("question/asked").empty());
  EXPECT_THAT(untilTold("provider/warning")["details"].asString(),
              HasSubstr(R"(the optionId "a" is that of allow_once and of reject_once)"));
  EXPECT_THAT(said(), HasSubstr("-32602"));
}

constexpr const char* kListed =
    R"({"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"q","title":"Ask user 2 questions","_meta":{"toolName":"ask_user_question",
    "qwenInteractionKind":"user_question","qwenQuestions":[{"header":"Colour","question":"Which colour?","options":[{"label":"Red","description":"as blood"},{"label":"Blue","description":""}],"multiSelect":true},
    {"header":"Name","question":"Whose?","options":[]}]}},"options":[{"optionId":"proceed_always","name":"A","kind":"allow_always"},{"optionId":"proceed_once","name":"Submit","kind":"allow_once"},{"optionId":"cancel","name":"No","kind":"reject_once"}]}},"say":true})";

TEST_F(SessionQuestionsTest, ListsOfQuestionsInAPermissionAreAnsweredByTheirPlaces) {
  ASSERT_TRUE(open(fmt::format(R"({{"turns":[[{}]]}})", kListed)).ok());
  prompt("t1");
  const auto asked = untilTold("question/asked");
  const auto questions = asked["payload"]["questions"].items();
  ASSERT_EQ(questions.size(), 2U);
  EXPECT_EQ(
      questions[0].dump(),
      R"({"id":"0","prompt":"Which colour?","multiSelect":true,"allowFreeText":true,"optional":true,"shortLabel":"Colour","options":[{"value":"Red","label":"Red","description":"as blood"},{"value":"Blue","label":"Blue","description":""}]})");
  EXPECT_FALSE(
      session_
          ->answer(
              Json::object().set("questionId", asked["questionId"]).set("answers", Json::object()))
          .ok());
  ASSERT_TRUE(
      session_
          ->answer(
              Json::object()
                  .set("questionId", asked["questionId"])
                  .set(
                      "answers",
                      Json::parse(
                          R"({"0":{"selected":["Red","Blue"],"freeText":"green"},"1":{"freeText":"mine"}})")
                          .value()))
          .ok());
  untilTold("turn/completed");
  EXPECT_THAT(said(), AllOf(HasSubstr(R"("optionId":"proceed_once")"),
                            HasSubstr(R"("answers":{"0":"Red, Blue, green","1":"mine"})")));
}

TEST_F(SessionQuestionsTest, ListsOfQuestionsInAPermissionCanBeDeclined) {
  ASSERT_TRUE(open(fmt::format(R"({{"turns":[[{}]]}})", kListed)).ok());
  prompt("t1");
  const auto asked = untilTold("question/asked");
  ASSERT_TRUE(
      session_
          ->answer(Json::object().set("questionId", asked["questionId"]).set("decision", "deny"))
          .ok());
  untilTold("turn/completed");
  EXPECT_THAT(said(), HasSubstr(R"("optionId":"cancel")"));
}

TEST_F(SessionQuestionsTest, FormsOfAgentsAreQuestions) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"elicitation/create","params":{"mode":"form","sessionId":"s","message":"Which colour?","requestedSchema":{"type":"object","properties":{
    "question_0":{"type":"string","title":"Colour","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green","description":"as grass"}]},
    "question_0_custom":{"type":"string","title":"Other"},
    "sizes":{"type":"array","items":{"enum":["s","m"]}},"count":{"type":"integer","minimum":1,"maximum":5},"sure":{"type":"boolean"}},"required":["sizes"]}}},"say":true}],
    [{"request":{"method":"elicitation/create","params":{"mode":"url","url":"http://x","message":"go"}},"say":true}],
    [{"request":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"properties":{"a":{"type":"string"}}}}},"say":true}]]})")
          .ok());
  EXPECT_EQ(heard().front()["params"]["clientCapabilities"]["elicitation"].dump(),
            R"({"form":{}})");
  prompt("t1");
  const auto asked = untilTold("question/asked");
  const auto& questions = asked["payload"]["questions"].items();
  ASSERT_EQ(questions.size(), 4U);
  EXPECT_EQ(questions[0]["prompt"].asString(), "Which colour?\nColour");
  EXPECT_EQ(questions[2]["prompt"].asString(), "count");
  EXPECT_TRUE(questions[0]["optional"].asBool());
  EXPECT_FALSE(questions[1]["optional"].asBool());
  EXPECT_TRUE(questions[0]["allowFreeText"].asBool());
  EXPECT_EQ(questions[0]["options"].items()[1]["description"].asString(), "as grass");
  EXPECT_TRUE(questions[1]["multiSelect"].asBool());
  EXPECT_TRUE(questions[2]["allowFreeText"].asBool());
  EXPECT_EQ(questions[2]["expects"].dump(), R"({"type":"integer","minimum":1,"maximum":5})");
  EXPECT_TRUE(questions[0]["expects"].isNull());
  const auto answer = [this](const Json& question, const char* answers) {
    return session_->answer(Json::object()
                                .set("questionId", question["questionId"])
                                .set("answers", Json::parse(answers).value()));
  };
  for (const char* wrong : {"many", "0", "6", "2.5", "null"}) {
    const auto refused = answer(
        asked,
        fmt::format(R"({{"sizes":{{"selected":["s"]}},"count":{{"selected":[],"freeText":"{}"}}}})",
                    wrong)
            .c_str());
    EXPECT_EQ(refused.error().code, errc::kInvalidInput) << wrong;
    EXPECT_EQ(refused.error().message,
              "answers.count.freeText: expected a whole number from 1 to 5");
  }
  EXPECT_THAT(answer(asked, "{}").error().message, HasSubstr("answers.sizes: expected an answer"));
  ASSERT_TRUE(answer(asked, R"({"question_0":{"selected":["g"],"freeText":"dark"},
    "sizes":{"selected":["s","m"]},"count":{"selected":[],"freeText":"3"},"sure":{"selected":["false"]}})")
                  .ok());
  untilTold("turn/completed");
  EXPECT_THAT(
      said(),
      HasSubstr(
          R"({"question_0":"g","question_0_custom":"dark","sizes":["s","m"],"count":3,"sure":false})"));
  prompt("t2");
  untilTold("turn/completed", 2);
  EXPECT_EQ(all("question/asked").size(), 1U) << "what is no form is refused";
  prompt("t3");
  untilTold("question/asked", 2);
  EXPECT_TRUE(session_->cancel());
  untilTold("turn/completed", 3);
  bool cancelled = false;
  for (const auto& message : heard()) {
    cancelled = cancelled || message["result"]["action"].asString() == "cancel";
  }
  EXPECT_TRUE(cancelled);
}

TEST_F(SessionQuestionsTest, EveryQuestionOfAFormSaysItsFieldAndWhatFits) {
  const auto form = [](const char* properties) {
    return fmt::format(
        R"([{{"request":{{"method":"elicitation/create","params":{{"mode":"form","message":"Which?","requestedSchema":{{"properties":{}}}}}}},"say":true}}])",
        properties);
  };
  ASSERT_TRUE(
      open(
          R"({"turns":[)" +
          form(
              R"({"n":{"type":"integer","minimum":1},"ok":{"type":"boolean"},"who":{"type":"string","description":"Whose is it?","minLength":2},"t":{"type":"string","title":"Title","description":"Of all.","maxLength":9}})") +
          "," +
          form(
              R"({"mail":{"type":"string","format":"email","minLength":6,"maxLength":6},"key":{"type":"string","pattern":"^k"},"some":{"type":"array","items":{"enum":["a","b"]},"minItems":1,"maxItems":2}})") +
          "]}")
          .ok());
  const auto prompts = [](const Json& asked) {
    std::vector<std::string> all;
    for (const auto& question : asked["payload"]["questions"].items()) {
      all.push_back(question["shortLabel"].asString() + " | " + question["prompt"].asString());
    }
    return all;
  };
  prompt("t1");
  EXPECT_THAT(prompts(untilTold("question/asked")),
              ElementsAre("n | Which?\nn", "ok | ok",
                          "who | who: Whose is it? (a text of at least 2 characters)",
                          "Title | Of all. (a text of at most 9 characters)"));
  EXPECT_TRUE(session_->cancel());
  untilTold("turn/completed");
  prompt("t2");
  EXPECT_THAT(
      prompts(untilTold("question/asked", 2)),
      ElementsAre("mail | Which?\nmail (an email address, of 6 characters)",
                  "key | key (a text that matches ^k)", "some | some (a choice of 1 to 2)"));
  EXPECT_TRUE(session_->cancel());
  untilTold("turn/completed", 2);
}

TEST_F(SessionQuestionsTest, WhatAnAgentKnowsOnlyAsAlwaysIsOfferedAsThat) {
  ASSERT_TRUE(
      open(
          R"({"turns":[[{"request":{"method":"session/request_permission","params":{"toolCall":{"toolCallId":"1","kind":"execute","title":"Run","rawInput":{"command":"make"}},
      "options":[{"optionId":"ever","name":"Always","kind":"allow_always"},{"optionId":"no","name":"No","kind":"reject_once"}]}},"say":true}]]})")
          .ok());
  prompt("t1");
  untilTold("question/asked");
  EXPECT_EQ(all("question/asked").front()->data["payload"]["availableDecisions"].dump(),
            R"(["allow_for_session","deny"])");
}

TEST_F(SessionQuestionsTest, AFormThatIsTooLargeSaysItsLimit) {
  const auto form = [](const std::string& properties) {
    return R"([{"request":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"properties":)" +
           properties + R"(}}},"say":true}])";
  };
  std::string many = R"("0")";
  for (std::size_t number = 1; number <= limits::kAgentChoices; ++number) {
    many += ",\"" + std::to_string(number) + "\"";
  }
  ASSERT_TRUE(
      open(
          R"({"turns":[)" +
          form(
              R"({"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"}})") +
          "," + form(R"({"a":{"type":"string","enum":["1","2","3","4","5"]}})") + "," +
          form(R"({"a":{"type":"string","enum":[)" + many + "]}}") + "]}")
          .ok());
  prompt("t1");
  untilTold("turn/completed");
  EXPECT_THAT(heard().back().dump(), HasSubstr("a form of 5 fields (limit questions: 4)"));
  prompt("t2");
  untilTold("question/asked");
  EXPECT_THAT(
      all("question/asked").front()->data["payload"]["questions"].items()[0]["options"].items(),
      SizeIs(5));
  EXPECT_TRUE(session_->cancel());
  untilTold("turn/completed", 2);
  prompt("t3");
  untilTold("turn/completed", 3);
  EXPECT_THAT(heard().back().dump(),
              HasSubstr("a: it has 201 choices, expected 1 to 200 (limit agentChoices)"));
}

}  // namespace
}  // namespace svc::agentd
