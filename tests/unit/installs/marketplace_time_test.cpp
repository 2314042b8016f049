// How long a marketplace may take to be read.

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "install_routes_fixture.h"

namespace svc::installs {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// curl and git of machines whose answers take a time that the test says.
class SlowPrograms final : public IProcesses {
 public:
  explicit SlowPrograms(test::FakeClock& clock) : clock_(clock) {}

  [[nodiscard]] Result<Output> run(const Command& command, std::stop_token) override {
    bounds.push_back(command.timeout);
    const auto time = takes(command.argv.back());
    clock_.advance(std::min(time, command.timeout));
    if (time > command.timeout) {
      return Error{errc::kTimeout, "it did not finish"};
    }
    if (command.argv.front() == "git") {
      return Output{.exit_code = 0, .out = std::string(40, 'a') + "\tHEAD\n", .err = ""};
    }
    const auto file = *(std::find(command.argv.begin(), command.argv.end(), "--output") + 1);
    std::ofstream(file) << lists.at(command.argv.back());
    return Output{};
  }

  std::map<std::string, std::string> lists;
  /// By the address; what is not in it takes no time.
  std::map<std::string, milliseconds> times;
  milliseconds git_time{0};
  std::vector<milliseconds> bounds;  ///< those that the programs got, in their order

 private:
  milliseconds takes(const std::string& address) const {
    const auto found = times.find(address);
    return found == times.end() ? git_time : found->second;
  }

  test::FakeClock& clock_;
};

class MarketplaceTimeTest : public InstallRoutesTest {
 protected:
  static constexpr const char* kSlow = "https://slow.example.org/m.json";
  static constexpr const char* kGood = "https://good.example.org/m.json";

  MarketplaceTimeTest() {
    programs_.lists = {{kSlow, R"({"schemaVersion":1,"name":"a-slow","plugins":[]})"},
                       {kGood, R"({"schemaVersion":1,"name":"good","plugins":[]})"}};
    EXPECT_TRUE(timed_catalog_.attach(timed_server_).ok());
  }

  std::shared_ptr<test::RecordedExchange> ask(const std::string& route,
                                              const std::string& body = "") {
    http::Request request;
    request.body = body;
    auto exchange = std::make_shared<test::RecordedExchange>(std::move(request));
    timed_server_.call(route, exchange);
    main_.runAll();
    return exchange;
  }
  std::shared_ptr<test::RecordedExchange> add(const std::string& source) {
    return ask("POST /api/v1/marketplaces", R"({"source":")" + source + "\"}");
  }

  SlowPrograms programs_{clock_};
  std::shared_ptr<Marketplaces> timed_ = std::make_shared<Marketplaces>(
      Marketplaces::Context{work_, clock_, store_, programs_, cache_, silentLog(), {}});
  test::RecordedRoutes timed_server_;
  CatalogRoutes timed_catalog_{timed_, jobs_, manager_, plugins_, main_};
};

TEST_F(MarketplaceTimeTest, OneThatTricklesIsGivenUp) {
  programs_.times[kSlow] = limits::kMarketplaceRead + milliseconds{1};
  const auto added = add(kSlow);
  EXPECT_EQ(added->status(), 504U) << added->answer->body;
  EXPECT_EQ(added->errorCode(), "timeout");
  EXPECT_EQ(added->json()["error"]["message"].asString(),
            "https://slow.example.org/m.json was not read within 60000 ms (limit marketplaceRead): "
            "it answers too slowly; try again later, or use another address of the list");
  EXPECT_THAT(programs_.bounds, ElementsAre(limits::kMarketplaceRead));
  EXPECT_TRUE(timed_->list().empty());
}

TEST_F(MarketplaceTimeTest, OneThatIsDoneInTimeIsAdded) {
  programs_.times[kSlow] = limits::kMarketplaceRead;
  EXPECT_EQ(add(kSlow)->status(), 201U);
}

TEST_F(MarketplaceTimeTest, ARefreshTellsWhichOneWasTooSlowAndReadsTheOthers) {
  ASSERT_EQ(add(kSlow)->status(), 201U);
  ASSERT_EQ(add(kGood)->status(), 201U);
  programs_.times[kSlow] = limits::kMarketplaceRead + milliseconds{1};
  programs_.lists[kGood] =
      R"({"schemaVersion":1,"name":"good","plugins":[{"id":"todo","author":{"name":"Ann"},)"
      R"("source":{"npm":{"package":"todo","range":"^1"}}}]})";
  const auto results = ask("POST /api/v1/marketplaces/refresh")->json()["results"];
  ASSERT_EQ(results.items().size(), 2U);
  const auto& slow = results.items()[0];
  EXPECT_EQ(slow["name"].asString(), "a-slow");
  EXPECT_FALSE(slow["ok"].asBool(true));
  EXPECT_THAT(slow["error"].asString(), HasSubstr("limit marketplaceRead"));
  EXPECT_THAT(slow["marketplace"]["lastError"].asString(), HasSubstr("limit marketplaceRead"));
  const auto& good = results.items()[1];
  EXPECT_TRUE(good["ok"].asBool());
  EXPECT_EQ(good["marketplace"]["entryCount"].asInteger(), 1);
}

TEST_F(MarketplaceTimeTest, WhatGitRunsHasTheTimeTogether) {
  // The refs, init, remote, fetch and the file: the third has what two have left, and a fourth is not begun.
  programs_.git_time = limits::kMarketplaceRead / 3;
  const auto added = add("git:https://slow.example.org/list.git");
  EXPECT_EQ(added->errorCode(), "timeout") << added->answer->body;
  EXPECT_THAT(programs_.bounds,
              ElementsAre(limits::kMarketplaceRead, limits::kMarketplaceRead / 3 * 2,
                          limits::kMarketplaceRead / 3));
}

}  // namespace
}  // namespace svc::installs
