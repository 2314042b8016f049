#include "meter_book.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class FakeMeterStore final : public storage::IPluginMeterStore {
 public:
  Result<std::map<std::string, std::string>> meters() override { return texts; }
  Status putMeters(const std::map<std::string, std::string>& changed) override {
    ++puts;
    if (refuses) {
      return Error{errc::kUnavailable, "disk full"};
    }
    for (const auto& [id, text] : changed) {
      texts[id] = text;
    }
    return {};
  }

  std::map<std::string, std::string> texts;
  int puts = 0;
  bool refuses = false;
};

class MeterBookTest : public ::testing::Test {
 protected:
  /// A server over the same rows.
  struct Server {
    explicit Server(MeterBookTest& test) {
      loaded->add("todo", todo);
      loaded->add("notes", std::make_shared<Meters>());
      book = std::make_shared<MeterBook>(MeterBook::Parts{
          test.main, test.workers, test.store, loaded,
          std::make_shared<spdlog::logger>(
              "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(test.log))});
      EXPECT_TRUE(book->open());
    }
    std::shared_ptr<LoadedMap> loaded = std::make_shared<LoadedMap>();
    std::shared_ptr<Meters> todo = std::make_shared<Meters>();
    std::shared_ptr<MeterBook> book;
  };

  void pass(std::chrono::milliseconds time) { main.advance(time); }

  svc::test::FakeMainExecutor main;
  svc::test::InlineWorkers workers;
  FakeMeterStore store;
  std::ostringstream log;
};

TEST_F(MeterBookTest, WhatWasCountedSurvivesARestartOfTheServer) {
  {
    const Server server(*this);
    server.todo->recordCall(5ms);
    server.todo->recordFailedCall(7ms, {42, "boom", "at x (server.ts:1:1)", "rpc:fail"});
    server.todo->recordOutOfBand({43, "late", "", "timer"});
    server.todo->recordStall();
    server.todo->recordTermination({44, "ended", "", "environment"});
    server.todo->recordHeldCall();
    server.book->close();
  }
  const Server server(*this);
  auto kept = server.todo->kept();
  EXPECT_EQ(kept.handlers.count, 2U);
  EXPECT_DOUBLE_EQ(kept.handlers.total_ms, 12);
  EXPECT_DOUBLE_EQ(kept.handlers.max_ms, 7);
  EXPECT_EQ(kept.handlers.error_count, 1U);
  EXPECT_EQ(kept.counters.out_of_band_errors, 1U);
  EXPECT_EQ(kept.counters.watchdog_stalls, 1U);
  EXPECT_EQ(kept.counters.terminations, 1U);
  EXPECT_EQ(kept.counters.held_calls, 1U);
  ASSERT_TRUE(kept.last_error);
  EXPECT_EQ(kept.last_error->at, 44);
  EXPECT_EQ(kept.last_error->message, "ended");
  EXPECT_EQ(kept.last_error->source, "environment");
  server.todo->recordCall(1ms);
  EXPECT_EQ(server.todo->kept().handlers.count, 3U);
  EXPECT_EQ(server.todo->snapshot().handlers.count, 1U) << "measurements begin with the server";
}

TEST_F(MeterBookTest, WritesNowAndThenWhatHasChangedAndNothingElse) {
  const Server server(*this);
  for (int call = 0; call < 1000; ++call) {
    server.todo->recordCall(1ms);
  }
  EXPECT_EQ(store.puts, 0);
  pass(MeterBook::kInterval);
  EXPECT_EQ(store.puts, 1);
  EXPECT_THAT(store.texts, SizeIs(1));
  EXPECT_THAT(store.texts.at("todo"), HasSubstr(R"("count":1000)"));
  pass(10 * MeterBook::kInterval);
  EXPECT_EQ(store.puts, 1) << "nothing has changed";
  server.todo->recordCall(1ms);
  pass(MeterBook::kInterval);
  EXPECT_EQ(store.puts, 2);
}

TEST_F(MeterBookTest, ADiskThatRefusesIsToldOfOnceAndTriedAgain) {
  const Server server(*this);
  store.refuses = true;
  server.todo->recordCall(1ms);
  pass(3 * MeterBook::kInterval);
  EXPECT_EQ(store.puts, 3);
  EXPECT_THAT(log.str(), HasSubstr("disk full"));
  EXPECT_EQ(log.str().find("disk full"), log.str().rfind("disk full"));
  store.refuses = false;
  pass(MeterBook::kInterval);
  EXPECT_THAT(store.texts.at("todo"), HasSubstr(R"("count":1)"));
}

TEST_F(MeterBookTest, APluginThatIsInstalledAgainBeginsAnew) {
  const Server server(*this);
  server.todo->recordCall(1ms);
  pass(MeterBook::kInterval);
  server.loaded->erase("todo");
  store.texts.erase("todo");  // with the row
  server.loaded->add("todo", std::make_shared<Meters>());
  pass(2 * MeterBook::kInterval);
  const Server next(*this);
  EXPECT_EQ(next.todo->kept().handlers.count, 0U);
}

TEST_F(MeterBookTest, EveryRecordCarriesShortTexts) {
  const Server server(*this);
  const PluginError large{1, std::string(1'000'000, 'm'), std::string(1'000'000, 's'), "rpc:x"};
  const std::vector<std::function<void()>> records{
      [&] { server.todo->recordFailedCall(1ms, large); },
      [&] { server.todo->recordOutOfBand(large); }, [&] { server.todo->recordTermination(large); },
      [&] { server.todo->recordError(large); }};
  for (const auto& record : records) {
    server.todo->recordError({});
    record();
    const auto error = server.todo->kept().last_error;
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("the limit statusText is 16384"));
    EXPECT_THAT(error->stack, HasSubstr("the limit logLine is 65536"));
    EXPECT_LT(error->message.size() + error->stack.size(), 90'000U);
  }
}

TEST_F(MeterBookTest, WhatCannotBeReadIsNothingAndLongTextsAreShortened) {
  for (const auto* text : {"", "{", "[]", R"({"count":-1,"lastError":7})"}) {
    store.texts["todo"] = text;
    const Server server(*this);
    EXPECT_EQ(server.todo->kept().handlers.count, 0U) << text;
    EXPECT_FALSE(server.todo->kept().last_error) << text;
  }
  {
    const Server server(*this);
    std::string message;
    for (int count = 0; count < 100'000; ++count) {
      message += "é";
    }
    server.todo->recordError({1, message, "", "load"});
    server.book->close();
  }
  EXPECT_LT(store.texts.at("todo").size(), 20'000U);
  EXPECT_THAT(Server(*this).todo->kept().last_error->message, HasSubstr("é…"));
}

}  // namespace
}  // namespace svc::plugins
