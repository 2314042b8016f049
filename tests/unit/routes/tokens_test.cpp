#include "tokens.h"

#include <sys/stat.h>

#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/http/secrets.h"

#include "workers.h"

namespace svc::routes {
namespace {

/// Remembers what is masked at the moment.
class FakeMask final : public plugins::ISecretMask {
 public:
  Handle add(const std::string& secret) override {
    secrets->push_back(secret);
    return Handle([kept = secrets, secret] { std::erase(*kept, secret); });
  }
  std::string apply(std::string text) const override { return text; }
  std::string applyJson(std::string json) const override { return json; }
  std::shared_ptr<std::vector<std::string>> secrets = std::make_shared<std::vector<std::string>>();
};

class TokensTest : public ::testing::Test {
 protected:
  Result<std::string> issue(Tokens::Rotate rotate = Tokens::Rotate::kNo) {
    std::optional<Result<std::string>> answer;
    tokens->issue("todo", rotate, [&](Result<std::string> token) { answer = std::move(token); });
    workers.runAll();
    return *answer;
  }
  Result<bool> check(const std::string& presented) {
    std::optional<Result<bool>> answer;
    tokens->check("todo", presented, [&](Result<bool> valid) { answer = std::move(valid); });
    workers.runAll();
    return *answer;
  }
  [[nodiscard]] std::filesystem::path file() const {
    return scratch.path / "todo" / "secrets" / ".http-token";
  }
  void write(const std::string& text) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << text;
  }

  Scratch scratch;
  ManualWorkers workers;
  FakeMask mask;
  std::shared_ptr<Tokens> tokens = std::make_shared<Tokens>(scratch.path, workers, &mask);
};

TEST_F(TokensTest, MakesATokenOnce) {
  const auto token = issue();
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token.value().size(), 64U);
  EXPECT_EQ(token.value().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(issue().value(), token.value());
  EXPECT_TRUE(check(token.value()).value());
}

TEST_F(TokensTest, TheFileIsPrivateAndNothingElseIsLeft) {
  ASSERT_TRUE(issue().ok());
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(file().parent_path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file().parent_path()), {}), 1);
}

TEST_F(TokensTest, RotationReplacesTheToken) {
  const auto first = issue().value();
  const auto second = issue(Tokens::Rotate::kYes).value();
  EXPECT_NE(first, second);
  EXPECT_FALSE(check(first).value());
  EXPECT_TRUE(check(second).value());
}

TEST_F(TokensTest, ALeftOverOfAnInterruptedRotationDoesNotMatter) {
  write("");
  std::ofstream(file().parent_path() / ".new-.http-token") << "half";
  EXPECT_TRUE(check(issue(Tokens::Rotate::kYes).value()).value());
  EXPECT_FALSE(std::filesystem::exists(file().parent_path() / ".new-.http-token"));
}

TEST_F(TokensTest, AFailedCheckCreatesNothing) {
  EXPECT_FALSE(check(std::string(64, 'a')).value());
  EXPECT_FALSE(check("").value());
  EXPECT_FALSE(std::filesystem::exists(scratch.path / "todo"));
}

TEST_F(TokensTest, ADamagedFileIsNobodysTokenAndIsReplaced) {
  for (const std::string& damaged :
       std::vector<std::string>{"", "abc", std::string(64, 'G'), std::string(200, 'a')}) {
    write(damaged);
    EXPECT_FALSE(check(damaged).value());
    EXPECT_EQ(issue().value().size(), 64U);
  }
}

TEST_F(TokensTest, WhatReplacesTheFileCountsFromTheNextCheck) {
  const auto first = issue().value();
  const std::string restored(64, 'a');
  write(restored + "\n");
  EXPECT_TRUE(check(restored).value());
  EXPECT_FALSE(check(first).value());
}

TEST_F(TokensTest, AFileThatHasNotChangedCostsNoWorker) {
  const auto token = issue().value();
  EXPECT_FALSE(check("wrong").value());
  workers.full = true;
  EXPECT_FALSE(check("wrong").value());
  EXPECT_TRUE(check(token).value());
  std::filesystem::remove(file());
  workers.full = false;
  EXPECT_FALSE(check(token).value());
  workers.full = true;
  EXPECT_FALSE(check(token).value());
}

TEST_F(TokensTest, AFileThatCannotBeReadIsAnError) {
  std::filesystem::create_directories(file());
  const auto valid = check("x");
  ASSERT_FALSE(valid.ok());
  EXPECT_EQ(valid.error().code, errc::kUnavailable);
}

TEST_F(TokensTest, MasksTheTokenThatCounts) {
  const auto first = issue().value();
  EXPECT_EQ(*mask.secrets, std::vector<std::string>{first});
  const auto second = issue(Tokens::Rotate::kYes).value();
  EXPECT_EQ(*mask.secrets, std::vector<std::string>{second});
}

TEST_F(TokensTest, LearnsTheTokenOfAnEarlierRun) {
  const std::string token(64, 'b');
  write(token);
  tokens->learn("todo");
  workers.runAll();
  EXPECT_EQ(*mask.secrets, std::vector<std::string>{token});
}

TEST_F(TokensTest, AnswersOverloadedWhenNoWorkerIsFree) {
  workers.full = true;
  EXPECT_EQ(check("x").error().code, errc::kOverloaded);
  EXPECT_EQ(issue().error().code, errc::kOverloaded);
}

TEST(SameSecretTest, ComparesWholeTexts) {
  EXPECT_TRUE(http::sameSecret("abc", "abc"));
  EXPECT_TRUE(http::sameSecret("", ""));
  EXPECT_FALSE(http::sameSecret("abc", "abd"));
  EXPECT_FALSE(http::sameSecret("abc", "abcd"));
  EXPECT_FALSE(http::sameSecret("\x80", ""));
}

}  // namespace
}  // namespace svc::routes
