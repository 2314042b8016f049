#include "host_messages.h"

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HostMessagesTest : public HostsFixture, public IHostListener {
 protected:
  HostMessagesTest() {
    sessions_->listen(messages_);
    handle_ = messages_.listen(*this);
    reactor_.runAll();
  }
  /// The sessions tell `messages_` of their end, which is gone before the fixture ends them.
  ~HostMessagesTest() override {
    sessions_->shutDown();
    reactor_.runAll();
  }
  HostMessagesTest(const HostMessagesTest&) = delete;
  HostMessagesTest& operator=(const HostMessagesTest&) = delete;

  void hostOpened(const std::string& id) override { heard_.push_back("opened " + id); }
  void hostClosed(const std::string& id) override { heard_.push_back("closed " + id); }
  void hostGone(const std::string& id) override { heard_.push_back("gone " + id); }
  void hostMessage(const std::string& id, std::string_view type, std::string_view text) override {
    heard_.push_back(fmt::format("{} {} {}", id, type, text));
  }

  bool hasWork(const std::string&) override { return has_work_; }

  bool has_work_ = false;
  HostMessages messages_{reactor_, *sessions_};
  Handle handle_;
  std::vector<std::string> heard_;
};

TEST_F(HostMessagesTest, ListenersHearOfSessionsAndTheirMessages) {
  const auto daemon = connect();
  const std::string exit = R"({"type":"terminal.exit","terminalId":"t","exitCode":0})";
  daemon.says(exit);
  daemon.says(R"({"type":"heartbeat"})");
  daemon.session->onClose(1006, "");
  reactor_.advance(limits::kSessionGrace);
  EXPECT_THAT(heard_, ElementsAre("opened host_1", "host_1 terminal.exit " + exit, "closed host_1",
                                  "gone host_1"));
}

TEST_F(HostMessagesTest, AHostThatComesBackInTimeIsNotGone) {
  connect().session->onClose(1006, "");
  const auto next = connect();
  reactor_.advance(limits::kSessionGrace);
  EXPECT_THAT(heard_, ElementsAre("opened host_1", "closed host_1", "opened host_1"));
}

TEST_F(HostMessagesTest, WhereWorkRunsAHostIsWaitedForLonger) {
  has_work_ = true;
  connect().session->onClose(1006, "");
  reactor_.advance(limits::kSessionWorkGrace - std::chrono::milliseconds(1));
  EXPECT_THAT(heard_, ElementsAre("opened host_1", "closed host_1"));
  const auto next = connect();
  reactor_.advance(limits::kSessionLease - std::chrono::milliseconds(1));
  EXPECT_EQ(heard_.back(), "opened host_1");
  next.session->onClose(1006, "");
  reactor_.advance(limits::kSessionWorkGrace);
  EXPECT_EQ(heard_.back(), "gone host_1");
}

TEST_F(HostMessagesTest, SoIsOneThatWasNotHeardOfAnyMore) {
  has_work_ = true;
  connect();
  reactor_.advance(limits::kSessionLease);
  EXPECT_THAT(heard_, ElementsAre("opened host_1", "closed host_1"));
  reactor_.advance(limits::kSessionWorkGrace);
  EXPECT_EQ(heard_.back(), "gone host_1");
  connect();
  has_work_ = false;
  reactor_.advance(limits::kSessionLease);
  EXPECT_EQ(heard_.back(), "gone host_1");
}

TEST_F(HostMessagesTest, AMessageReachesTheDaemonThatIsThere) {
  messages_.tell("host_1", R"({"type":"x"})");
  const auto daemon = connect();
  messages_.tell("host_1", R"({"type":"y"})");
  EXPECT_THAT(daemon.socket->texts, ElementsAre(R"({"type":"y"})"));
}

TEST_F(HostMessagesTest, WhoHasLetGoHearsNothing) {
  handle_.reset();
  reactor_.runAll();
  connect();
  EXPECT_THAT(heard_, IsEmpty());
}

}  // namespace
}  // namespace svc::hosts
