
#include "thread_routes_fixture.h"

namespace svc::threads {
namespace {

using ::testing::HasSubstr;

using ThreadForksTest = ThreadRoutesTest;

TEST_F(ThreadForksTest, AForkTellsItsAgentWhatWasSaidBefore) {
  spawn("What is 2+2?");
  begin();
  EXPECT_TRUE(
      hear("item/completed", turn_, R"({"item":{"id":"m","type":"agentMessage","text":"4"}})"));
  finish();
  const auto source = thread_;
  const auto answered = book_->thread(source).value().last_seq;
  EXPECT_TRUE(send("And 3+3?").ok());
  begin();
  EXPECT_TRUE(
      hear("item/completed", turn_, R"({"item":{"id":"n","type":"agentMessage","text":"6"}})"));
  finish();

  const auto made =
      ask("POST /api/v1/threads/fork",
          R"({"sourceThreadId":")" + source + R"(","sourceSeqEnd":)" + std::to_string(answered) +
              R"(,"agentContextSeed":[{"type":"text","text":"Be brief."}],)"
              R"("input":[{"type":"text","text":"Times two?"}]})");
  ASSERT_EQ(made->status(), 201U) << made->answer->body;
  const auto record = made->json()["thread"];
  EXPECT_EQ(record["originKind"].asString(), "fork");
  EXPECT_EQ(record["sourceThreadId"].asString(), source);
  EXPECT_EQ(record["titleFallback"].asString(), "What is 2+2?");
  ASSERT_EQ(inputs_.size(), 3U);
  const auto blocks = inputs_.back().items();
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_THAT(blocks[0]["text"].asString(), HasSubstr("User:\nWhat is 2+2?\n\nAssistant:\n4"));
  EXPECT_THAT(blocks[0]["text"].asString(), ::testing::Not(HasSubstr("3+3")));
  EXPECT_EQ(blocks[1]["text"].asString(), "Be brief.");
  EXPECT_EQ(blocks[1]["visibility"].asString(), "agent-only");
  EXPECT_EQ(blocks[2]["text"].asString(), "Times two?");
  // People see what they said.
  thread_ = record["id"].asString();
  const auto rows = ask("GET /api/v1/threads/:threadId/timeline")->json()["rows"].items();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0]["title"].asString(), HasSubstr("What is 2+2?"));
  EXPECT_EQ(rows[1]["text"].asString(), "Times two?");
}

TEST_F(ThreadForksTest, AForkWithoutAMessageIsIdleAndItsFirstOneGoesOn) {
  spawn("hello");
  begin();
  finish();
  const auto source = thread_;
  const auto made = ask("POST /api/v1/threads/fork", R"({"sourceThreadId":")" + source +
                                                         R"(","permissionMode":"full",)"
                                                         R"("visibility":"hidden"})");
  const auto record = made->json()["thread"];
  EXPECT_EQ(record["status"].asString(), "idle");
  EXPECT_EQ(record["visibility"].asString(), "hidden");
  thread_ = record["id"].asString();
  restart();
  EXPECT_TRUE(send("first").ok());
  EXPECT_THAT(inputs_.back().items().front()["text"].asString(), HasSubstr("User:\nhello"));
  EXPECT_EQ(opened_.back().execution["permissionMode"].asString(), "full");
  begin();
  finish();
  EXPECT_TRUE(send("second").ok());
  EXPECT_EQ(inputs_.back().items().size(), 1U);
}

TEST_F(ThreadForksTest, AForkOfAPlaceThatIsGoneBeginsWhereSuchAThreadWould) {
  spawn("hello");
  begin();
  finish();
  std::vector<std::string> asked;
  ON_CALL(environments_, check).WillByDefault([&asked](const EnvironmentNeed& need) {
    asked.push_back(need.intent.dump());
    return need.intent["type"].asString() == "project-default"
               ? Status()
               : Status(Error{errc::kConflict, "it is destroyed"});
  });
  const auto fork = R"({"sourceThreadId":")" + thread_ + R"("})";
  const auto made = ask("POST /api/v1/threads/fork", fork);
  EXPECT_EQ(made->status(), 201U) << made->answer->body;
  ASSERT_FALSE(asked.empty());
  EXPECT_THAT(asked.front(), HasSubstr("\"reuse\""));
  EXPECT_EQ(asked.back(), R"({"type":"project-default"})");
  // Where nothing can be, the first reason counts.
  ON_CALL(environments_, check).WillByDefault([](const EnvironmentNeed& need) {
    return Status(Error{errc::kConflict, "no " + need.intent["type"].asString()});
  });
  EXPECT_EQ(ask("POST /api/v1/threads/fork", fork)->json()["error"]["message"].asString(),
            "no reuse");
}

TEST_F(ThreadForksTest, AForkSaysWhatItCannot) {
  spawn("hello");
  const auto source = thread_;
  const char* route = "POST /api/v1/threads/fork";
  EXPECT_EQ(ask(route, R"({"sourceThreadId":"thr_x"})")->errorCode(), "not_found");
  for (const std::string rest :
       {R"("sourceSeqEnd":99)", R"("sourceSeqEnd":0)", R"("workspace":"moon")",
        R"("agentContextSeed":[])", R"("visibility":"x")"}) {
    EXPECT_EQ(ask(route, R"({"sourceThreadId":")" + source + R"(",)" + rest + "}")->errorCode(),
              "invalid_input")
        << rest;
  }
}

}  // namespace
}  // namespace svc::threads
