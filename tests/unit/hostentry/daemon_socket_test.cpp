#include "daemon_socket.h"

#include <fcntl.h>

#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>

#include "svc/base/fd.h"
#include "svc/kernel/thread_role.h"

#include "runtime.h"

namespace svc::hostentry {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr auto kPatienceOfTests = 30s;
constexpr std::size_t kLongest = 64UL * 1024 * 1024;

/// The daemon's end is read and written by hand.
class DaemonSocketTest : public ::testing::Test {
 protected:
  DaemonSocketTest() {
    auto pair = base::makeSocketPair();
    EXPECT_TRUE(pair.ok());
    daemon_ = std::move(pair.value().there);
    EXPECT_EQ(::fcntl(daemon_.get(), F_SETFL, O_NONBLOCK), 0);
    socket_ = std::make_shared<DaemonSocket>(io_, pair.value().here.release(), kLongest);
    socket_->start({.line =
                        [this](std::string_view line) {
                          const std::scoped_lock lock(mutex_);
                          lines_.emplace_back(line);
                          roles_.push_back(threadRole());
                        },
                    .closed =
                        [this](std::string why) {
                          const std::scoped_lock lock(mutex_);
                          closed_ = std::move(why);
                        },
                    .drained = [this] { ++drained_; }});
  }

  void say(const std::string& text) const {
    ASSERT_EQ(::send(daemon_.get(), text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
  }
  /// What has arrived.
  [[nodiscard]] std::string arrived() const {
    std::string text;
    std::array<char, 65536> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    for (auto count = base::readSome(daemon_.get(), bytes.data(), bytes.size()); count > 0;
         count = base::readSome(daemon_.get(), bytes.data(), bytes.size())) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
  }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }
  std::vector<ThreadRole> roles() {
    const std::scoped_lock lock(mutex_);
    return roles_;
  }
  std::optional<std::string> closed() {
    const std::scoped_lock lock(mutex_);
    return closed_;
  }
  void turn() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_{1};
  base::Fd daemon_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<ThreadRole> roles_;
  std::optional<std::string> closed_;
  std::atomic<int> drained_{0};
  std::shared_ptr<DaemonSocket> socket_;
};

TEST_F(DaemonSocketTest, LinesArriveWholeAndInOrder) {
  say("a\nb");
  turn();
  EXPECT_THAT(lines(), ElementsAre("a"));
  say("c\n\nd\n");
  turn();
  EXPECT_THAT(lines(), ElementsAre("a", "bc", "", "d"));
  EXPECT_FALSE(closed());
}

TEST_F(DaemonSocketTest, TheEndIsToldBehindTheLastLine) {
  say("a\n");
  daemon_ = {};
  turn();
  EXPECT_THAT(lines(), ElementsAre("a"));
  EXPECT_EQ(closed(), "");
}

TEST_F(DaemonSocketTest, ALineWithoutEndEndsTheReading) {
  const std::string part(60'000, 'x');
  for (std::size_t sent = 0; sent <= kLongest && !closed(); sent += part.size()) {
    say(part);
    turn();
  }
  EXPECT_EQ(closed(), "a message has more than 67108864 bytes");
  EXPECT_THAT(lines(), ::testing::IsEmpty());
}

TEST_F(DaemonSocketTest, WhatTheSystemDoesNotTakeIsWrittenLater) {
  const std::string large(4'000'000, 'x');
  socket_->send(large);
  EXPECT_GT(socket_->backlog(), 0U);
  EXPECT_LT(socket_->backlog(), large.size());
  socket_->sendAtOnce("behind");
  socket_->askDrained();
  EXPECT_EQ(drained_, 0);
  std::string all;
  while (socket_->backlog() > 0) {
    all += arrived();
    turn();
  }
  all += arrived();
  EXPECT_TRUE(all == large + "\nbehind\n");
  turn();
  EXPECT_EQ(drained_, 1);
}

TEST_F(DaemonSocketTest, WithNothingToWriteItIsDrained) {
  socket_->askDrained();
  turn();
  EXPECT_EQ(drained_, 1);
}

/// With an environment whose script waits for what the test says.
class DaemonSocketInALoopTest : public DaemonSocketTest {
 protected:
  DaemonSocketInALoopTest() {
    thread_ = std::thread([this] {
      setThreadRole(ThreadRole::kIo);
      auto work = boost::asio::make_work_guard(io_);
      io_.run();
    });
    std::promise<std::shared_ptr<script::IScriptInstance>> made;
    script::InstanceOptions options;
    options.name = "test";
    options.root = "/";
    options.observer = std::make_shared<Silent>();
    options.parts.push_back(
        {"test",
         "exports.default = (runtime) => {"
         "  runtime.handle('busy', () => { while (runtime.callSync('over') === undefined) {} });"
         "  runtime.handle('say', (meta, body) => void runtime.callSync('say', body));"
         "};"});
    options.functions = script::hostFunctions(
        {{.name = "over",
          .sync = [this](const std::string&) -> Result<std::string> {
            return over_ ? std::string("yes") : std::string();
          }},
         {.name = "say", .sync = [this](const std::string& line) -> Result<std::string> {
            socket_->send(line);
            return std::string();
          }}});
    options.natives.push_back({"daemon_socket", socket_});
    runtime_.create(std::move(options),
                    [&](auto created) { made.set_value(std::move(created).value()); });
    instance_ = made.get_future().get();
  }
  ~DaemonSocketInALoopTest() override {
    over_ = true;
    end();
    io_.stop();
    thread_.join();
    socket_.reset();
  }

  void end() {
    if (instance_) {
      std::promise<void> gone;
      instance_->terminate("", [&](const Status&) { gone.set_value(); });
      gone.get_future().wait();
      instance_.reset();
    }
  }
  void call(std::string function, std::string body = {}) {
    instance_->invoke(
        {.function = std::move(function), .meta = {}, .body = std::move(body), .stop = {}},
        [](const Result<std::string>&) {});
  }
  template <class Done>
  static bool until(Done done) {
    const auto limit = std::chrono::steady_clock::now() + kPatienceOfTests;
    while (!done() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
    }
    return done();
  }

  struct Silent final : script::IScriptObserver {
    void onUncaughtError(const script::ScriptError&, const std::string&) override {}
    void onConsole(const std::string&, const std::string&) override {}
    void onStall(std::chrono::milliseconds, const std::string&) override {}
    void onEnded(const script::Termination&) override {}
  };
  std::atomic<bool> over_{false};
  jsruntime::Runtime runtime_{
      jsruntime::RuntimeOptions{.share = SVC_TEST_SHARE, .keep_spare = false, .log = nullptr}};
  std::shared_ptr<script::IScriptInstance> instance_;
  std::thread thread_;
};

TEST_F(DaemonSocketInALoopTest, TheLoopOfTheScriptReads) {
  // The first line may find the other thread awake; a loop that waits is there for the others.
  int sent = 0;
  EXPECT_TRUE(until([&] {
    say(std::to_string(sent++) + "\n");
    const bool came = until([&] { return lines().size() == static_cast<std::size_t>(sent); });
    return !came || roles().back() == ThreadRole::kScript;
  }));
  EXPECT_THAT(roles(), ::testing::Contains(ThreadRole::kScript));
}

TEST_F(DaemonSocketInALoopTest, WhatTheScriptSaysLeavesWithItsTurn) {
  call("say", "a");
  call("say", "b");
  std::string all;
  EXPECT_TRUE(until([&] { return (all += arrived()) == "a\nb\n"; }));
}

TEST_F(DaemonSocketInALoopTest, WhileTheScriptIsBusyTheOtherThreadReadsAndWrites) {
  call("say", "before");
  call("busy");
  std::string all;
  EXPECT_TRUE(until([&] { return (all += arrived()) == "before\n"; }));
  say("a\n");
  ASSERT_TRUE(until([&] { return lines().size() == 1; }));
  say("b\n");
  ASSERT_TRUE(until([&] { return lines().size() == 2; }));
  EXPECT_EQ(roles().back(), ThreadRole::kIo);
  daemon_ = {};
  EXPECT_TRUE(until([&] { return closed().has_value(); }));
}

TEST_F(DaemonSocketInALoopTest, BehindTheEnvironmentTheOtherThreadReadsAndWrites) {
  end();
  say("a\n");
  ASSERT_TRUE(until([&] { return lines().size() == 1; }));
  EXPECT_THAT(roles(), ElementsAre(ThreadRole::kIo));
  socket_->send("b");
  EXPECT_EQ(arrived(), "b\n");
}

}  // namespace
}  // namespace svc::hostentry
