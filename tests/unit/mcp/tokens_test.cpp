#include "tokens.h"

#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TokensTest : public McpFixture {
 protected:
  Result<CreatedToken> create(NewToken wanted) {
    Result<CreatedToken> answer = Error{errc::kAborted, "no answer"};
    tokens_->create(std::move(wanted),
                    [&](Result<CreatedToken> made) { answer = std::move(made); });
    return answer;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& token : tokens_->list()) {
      all.push_back(token->name);
    }
    return all;
  }
};

TEST_F(TokensTest, OnlyTheHashIsStored) {
  const auto made = create({.name = "desk", .scope = {.plugins = {"todo"}, .tools = {"add"}}});
  EXPECT_EQ(made.value().secret, "svc_mcp_secret1");
  ASSERT_EQ(store_.rows.size(), 1U);
  const auto& row = store_.rows[0];
  EXPECT_EQ(row.name, "desk");
  EXPECT_EQ(row.scope, R"({"plugins":["todo"],"tools":["add"]})");
  EXPECT_EQ(row.hash.size(), 64U);
  for (const auto& text : {row.id, row.name, row.hash, row.scope}) {
    EXPECT_THAT(text, Not(HasSubstr("secret1")));
  }
}

TEST_F(TokensTest, ATokenIsFoundByItsSecretAlone) {
  const auto made = create({.name = "desk", .scope = {}}).value();
  EXPECT_EQ(tokens_->find(made.secret), made.token);
  EXPECT_EQ(made.token->caller.scope, nullptr);
  for (const auto& wrong : {std::string(), std::string("svc_mcp_"), made.token->id,
                            store_.rows[0].hash, "svc_mcp_" + store_.rows[0].hash}) {
    EXPECT_EQ(tokens_->find(wrong), nullptr) << wrong;
  }
}

TEST_F(TokensTest, TokensOutliveARestart) {
  const auto secret =
      create({.name = "desk", .scope = {.plugins = {"todo"}, .tools = {}}}).value().secret;
  const auto next = std::make_shared<Tokens>(Tokens::Parts{
      .store = store_, .clock = clock_, .secret = {}, .id = {}, .revoked = {}, .aborted = {}});
  ASSERT_TRUE(next->load().ok());
  const auto found = next->find(secret);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "desk");
  EXPECT_TRUE(found->caller.sees("todo"));
  EXPECT_FALSE(found->caller.sees("other"));
}

TEST_F(TokensTest, AScopeThatCannotBeReadOpensNothing) {
  store_.rows.push_back({.id = "1", .name = "n", .hash = "h", .scope = "{"});
  ASSERT_TRUE(tokens_->load().ok());
  EXPECT_FALSE(tokens_->list().at(0)->caller.sees("todo"));
}

TEST_F(TokensTest, NamesAreChecked) {
  for (const auto& name : {std::string(), std::string("  "), std::string(" x"), std::string("x\n"),
                           std::string("\x1b"), std::string(limits::kMcpTokenName + 1, 'x')}) {
    EXPECT_EQ(create({.name = name, .scope = {}}).error().code, errc::kInvalidInput) << name;
  }
  std::string longest;
  for (std::size_t i = 0; i < limits::kMcpTokenName; ++i) {
    longest += "ü";
  }
  EXPECT_TRUE(create({.name = longest, .scope = {}}).ok());
}

TEST_F(TokensTest, ThereIsALimit) {
  for (std::size_t i = 0; i < limits::kMcpTokens; ++i) {
    ASSERT_TRUE(create({.name = fmt::format("t{}", i), .scope = {}}).ok());
  }
  const auto refused = create({.name = "more", .scope = {}});
  EXPECT_EQ(refused.error().code, errc::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("the limit mcpTokens is 1000"));
}

TEST_F(TokensTest, WhatTheStoreRefusesIsNoToken) {
  EXPECT_CALL(store_, insert).WillOnce([](const auto&, Completion<void> done) {
    done(Error{errc::kUnavailable, "disk full"});
  });
  EXPECT_EQ(create({.name = "desk", .scope = {}}).error().message, "disk full");
  EXPECT_THAT(names(), ElementsAre());
  EXPECT_EQ(tokens_->find("svc_mcp_secret1"), nullptr);
}

TEST_F(TokensTest, ARevokedTokenIsGone) {
  const auto made = create({.name = "desk", .scope = {}}).value();
  token("chat");
  EXPECT_THAT(names(), ElementsAre("chat", "desk"));
  revoke("desk");
  EXPECT_TRUE(made.token->revoked);
  EXPECT_EQ(tokens_->find(made.secret), nullptr);
  EXPECT_EQ(store_.rows.size(), 1U);
  revoke(tokens_->list().at(0)->id);
  EXPECT_THAT(names(), ElementsAre());
  tokens_->revoke(
      "desk", [](const Result<TokenPtr>& gone) { EXPECT_EQ(gone.error().code, errc::kNotFound); });
}

TEST_F(TokensTest, ATokenWorksUntilItsEndIsStored) {
  const auto made = create({.name = "desk", .scope = {}}).value();
  EXPECT_CALL(store_, remove).WillOnce([](const auto&, Completion<void> done) {
    done(Error{errc::kUnavailable, "disk full"});
  });
  tokens_->revoke("desk", [](const Result<TokenPtr>& revoked) {
    EXPECT_EQ(revoked.error().message, "disk full");
  });
  EXPECT_FALSE(made.token->revoked);
  EXPECT_EQ(tokens_->find(made.secret), made.token);
}

TEST_F(TokensTest, TheLastUseIsStoredOnceAMinute) {
  reactor_.advance(std::chrono::minutes(10));
  const auto made = create({.name = "desk", .scope = {}}).value();
  EXPECT_CALL(store_, used(made.token->id, 600'000, _));
  tokens_->used(*made.token);
  tokens_->used(*made.token);
  reactor_.advance(std::chrono::seconds(59));
  tokens_->used(*made.token);
  EXPECT_EQ(made.token->last_used_at, 659'000);
  EXPECT_CALL(store_, used(made.token->id, 660'000, _));
  reactor_.advance(std::chrono::seconds(1));
  tokens_->used(*made.token);
}

TEST_F(TokensTest, AThreadHasATokenAsLongAsItWants) {
  EXPECT_CALL(store_, insert).Times(0);
  EXPECT_CALL(store_, used).Times(0);
  auto minted = tokens_->mint({.thread_id = "thr_1", .project_id = "prj_1"});
  const auto token = tokens_->find(minted.secret);
  ASSERT_NE(token, nullptr);
  EXPECT_EQ(token->caller.thread_id, "thr_1");
  EXPECT_EQ(token->caller.project_id, "prj_1");
  reactor_.advance(std::chrono::minutes(2));
  tokens_->used(*token);
  EXPECT_THAT(names(), ElementsAre());
  minted.handle.reset();
  EXPECT_EQ(tokens_->find(minted.secret), nullptr);
  EXPECT_TRUE(token->revoked);
}

}  // namespace
}  // namespace svc::mcp
