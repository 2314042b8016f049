#include "plugin_calls.h"

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class PluginCallsTest : public HostsFixture {
 protected:
  ~PluginCallsTest() override { sessions_->shutDown(); }

  void dispose(std::uint64_t load_id) {
    calls_->dispose(load_id, [this](const Status&) { ++disposed_; });
  }
  int disposed_ = 0;
};

TEST_F(PluginCallsTest, ACallNamesItsArtifactAndCarriesItsInputAsItIs) {
  const auto daemon = connect();
  load("todo", 7, artifact("g1", "12345"));
  call(7, 3, R"({"a":  [1.50]})", "host_1", 1234ms);
  const auto text = daemon.socket->texts.at(0);
  EXPECT_THAT(text, HasSubstr(R"("input":{"a":  [1.50]})"));
  const auto command = daemon.socket->next()["command"];
  EXPECT_EQ(command["type"], Json("plugin.host.call"));
  EXPECT_EQ(command["pluginId"], Json("todo"));
  EXPECT_EQ(command["generation"], Json("g1"));
  EXPECT_EQ(command["artifact"]["digest"], Json(std::string(64, 'a')));
  EXPECT_EQ(command["artifact"]["byteLength"], Json(5));
  EXPECT_EQ(command["callId"], Json("3"));
  EXPECT_EQ(command["method"], Json("m"));
  EXPECT_EQ(command["timeoutMs"], Json(1234));
}

TEST_F(PluginCallsTest, OnlyALimitOfTheHeapThatIsNotTheDefaultIsNamed) {
  const auto daemon = connect();
  load("todo", 7, artifact("g1"));
  call(7, 1);
  EXPECT_EQ(daemon.socket->next()["command"].find("heapMiB"), nullptr);
  calls_->setHeapLimits(HeapLimits(64));
  call(7, 2);
  EXPECT_EQ(daemon.socket->next()["command"]["heapMiB"], Json(64));
}

TEST_F(PluginCallsTest, NoInputIsNoMember) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  call(1, 1, "");
  EXPECT_EQ(daemon.socket->next()["command"].find("input"), nullptr);
}

TEST_F(PluginCallsTest, TheOutputIsTheText) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  for (const auto* result : {R"({"output": [1, 2]})", "{}", "[1]", R"({"output":null})"}) {
    call(1, 1);
    daemon.answers(daemon.socket->next(), result);
  }
  EXPECT_THAT(outcomes_, ElementsAre("1 [1, 2]", "1 ", StartsWith("1 host_error: "), "1 null"));
}

TEST_F(PluginCallsTest, AResultBeyondTheLimitIsRefused) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  call(1, 1);
  daemon.answers(daemon.socket->next(),
                 R"({"output":")" + std::string(limits::kHostOutput, 'x') + R"("})");
  EXPECT_THAT(outcomes_, ElementsAre(HasSubstr("too_large: the result has 8388610 bytes")));
}

TEST_F(PluginCallsTest, WhatTheWorkerSaysPassesWithItsDetails) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  for (const auto* code :
       {"timeout", "unknown_method", "invalid_input", "handler_error", "invalid_output",
        "non_json_result", "too_large", "too_many_calls", "worker_start_failed", "worker_exited",
        "generation_retired", "artifact_unavailable", "artifact_mismatch"}) {
    call(1, 1);
    daemon.fails(daemon.socket->next(), code, "why", R"({"x":1})");
    EXPECT_EQ(outcomes_.back(), std::string("1 ") + code + ": why");
    EXPECT_EQ(details_, R"({"x":1})");
  }
  call(1, 1);
  daemon.fails(daemon.socket->next(), "made_up", "why");
  EXPECT_EQ(outcomes_.back(), "1 host_error: why");
}

TEST_F(PluginCallsTest, AnEntryThatDoesNotLoadNamesItsSources) {
  auto made = std::make_shared<HostArtifact>(*artifact("g1"));
  made->sources = std::make_shared<EntrySources>(
      R"({"version":3,"sources":["../host.ts"],"mappings":"AAAA"})", "/p/dist/host.js");
  load("todo", 1, made);
  const auto daemon = connect();
  call(1, 1);
  daemon.fails(daemon.socket->next(), "worker_start_failed",
               "it failed at file:///d/todo/" + made->digest + "/host.mjs:1:1");
  EXPECT_THAT(outcomes_, ElementsAre("1 worker_start_failed: it failed at /p/host.ts:1:1"));
}

TEST_F(PluginCallsTest, AStackInAResultNamesTheSourcesOfItsEntry) {
  auto made = std::make_shared<HostArtifact>(*artifact("g1"));
  made->sources = std::make_shared<EntrySources>(
      R"({"version":3,"sources":["../host.ts"],"mappings":"AAAA"})", "/p/dist/host.js");
  load("todo", 1, made);
  const auto daemon = connect();
  const auto stack = R"({"stack":"at file:///d/todo/)" + made->digest + R"(/host.mjs:1:1"})";
  call(1, 1);
  daemon.answers(daemon.socket->next(), R"({"output":)" + stack + "}");
  EXPECT_THAT(outcomes_, ElementsAre(R"(1 {"stack":"at /p/host.ts:1:1"})"));
  call(1, 1);
  daemon.fails(daemon.socket->next(), "handler_error", "why", stack);
  EXPECT_EQ(details_, R"({"stack":"at /p/host.ts:1:1"})");
}

TEST_F(PluginCallsTest, OnlyACommittedLoadWithAHostEntryCalls) {
  connect();
  call(1, 1);
  load("todo", 1, nullptr);
  call(1, 2);
  load("todo", 2, artifact("g2"));
  call(2, 3, "1", "nobody");
  call(2, 4, "1", "host_2");
  EXPECT_THAT(outcomes_,
              ElementsAre(StartsWith("1 plugin_not_running: "),
                          HasSubstr("artifact_unavailable: plugin \"todo\" has no host entry"),
                          StartsWith("3 unknown_host: "), StartsWith("4 host_unavailable: ")));
}

TEST_F(PluginCallsTest, TheDaemonHasTheCallsTimeAndTheTransportMore) {
  connect();
  load("todo", 1, artifact("g1"));
  call(1, 1, "1", "host_1", 1s);
  reactor_.advance(1s + limits::kHostTransport - 1ms);
  EXPECT_THAT(outcomes_, IsEmpty());
  reactor_.advance(1ms);
  EXPECT_THAT(outcomes_, ElementsAre(StartsWith("1 timeout: ")));
}

TEST_F(PluginCallsTest, APluginHasAtMost256Calls) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  load("other", 2, artifact("g2"));
  for (std::uint64_t number = 1; number <= limits::kHostActive; ++number) {
    call(1, number);
  }
  EXPECT_THAT(outcomes_, IsEmpty());
  call(1, 1000);
  EXPECT_THAT(outcomes_, ElementsAre(HasSubstr("1000 too_many_calls: ")));
  EXPECT_THAT(outcomes_[0], HasSubstr("limit host-active is 256 calls"));
  call(2, 1);
  EXPECT_EQ(outcomes_.size(), 1U);
  daemon.answers(daemon.socket->next(), R"({"output":1})");
  call(1, 1001);
  EXPECT_EQ(outcomes_.size(), 2U);
  EXPECT_EQ(daemon.socket->texts.size(), limits::kHostActive + 2);
}

TEST_F(PluginCallsTest, InputsOfAPluginAreBoundedTogetherAcrossItsLoads) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  load("todo", 2, artifact("g2"));
  const auto half = '"' + std::string(limits::kHostActiveBytes / 2 - 2, '1') + '"';
  call(1, 1, half);
  call(2, 1, half);
  call(2, 2, "1");
  EXPECT_THAT(outcomes_, ElementsAre(StartsWith("2 too_many_calls: ")));
  daemon.answers(daemon.socket->next(), "{}");
  call(2, 3, half);
  EXPECT_EQ(outcomes_.size(), 2U);
}

TEST_F(PluginCallsTest, AFailureThatCameAtOnceCountsNoMore) {
  load("todo", 1, artifact("g1"));
  for (std::uint64_t number = 0; number < 2 * limits::kHostActive; ++number) {
    call(1, number);
  }
  EXPECT_THAT(outcomes_, ::testing::Each(HasSubstr("host_unavailable")));
}

TEST_F(PluginCallsTest, CancellingTellsTheWorkerAndFreesTheCall) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  call(1, 5);
  const auto request = daemon.socket->next();
  calls_->cancel(1, 5);
  EXPECT_THAT(outcomes_, ElementsAre(StartsWith("5 aborted: ")));
  EXPECT_EQ(daemon.socket->next()["command"].dump(),
            R"({"type":"plugin.host.cancel","pluginId":"todo","generation":"g1","callId":"5"})");
  daemon.answers(request, R"({"output":1})");
  calls_->cancel(1, 5);
  calls_->cancel(1, 6);
  calls_->cancel(9, 1);
  EXPECT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(daemon.socket->unread(), 0U);
  EXPECT_EQ(loads_.find(1)->usage->calls, 0U);
  EXPECT_EQ(loads_.find(1)->usage->bytes, 0U);
}

TEST_F(PluginCallsTest, ALostSessionEndsItsCalls) {
  const auto first = connect("host_1");
  const auto second = connect("host_2");
  load("todo", 1, artifact("g1"));
  call(1, 1, "1", "host_1");
  call(1, 2, "1", "host_2");
  first.session->onClose(1006, "");
  EXPECT_THAT(outcomes_, ElementsAre(HasSubstr("1 host_unavailable: ")));
  second.answers(second.socket->next(), R"({"output":2})");
  EXPECT_EQ(outcomes_.back(), "2 2");
}

TEST_F(PluginCallsTest, DisposingEndsCallsAndWorkersOnEveryHost) {
  const auto first = connect("host_1");
  const auto second = connect("host_2");
  load("todo", 1, artifact("g1"));
  call(1, 1);
  first.socket->next();
  dispose(1);
  EXPECT_THAT(outcomes_, ElementsAre(StartsWith("1 plugin_not_running: ")));
  call(1, 2);
  EXPECT_THAT(outcomes_.back(), StartsWith("2 plugin_not_running: "));
  const auto asked = first.socket->next();
  EXPECT_EQ(asked["command"].dump(),
            R"({"type":"plugin.host.dispose","pluginId":"todo","generation":"g1"})");
  EXPECT_EQ(disposed_, 0);
  first.answers(asked, R"({"disposed":true})");
  EXPECT_EQ(disposed_, 0);
  EXPECT_NE(loads_.artifact("todo", std::string(64, 'a')), nullptr);
  second.fails(second.socket->next(), "internal_error", "no");
  EXPECT_EQ(disposed_, 1);
  EXPECT_EQ(loads_.artifact("todo", std::string(64, 'a')), nullptr);
  EXPECT_EQ(loads_.find(1), nullptr);
}

TEST_F(PluginCallsTest, DisposingWaitsOnlySoLong) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1"));
  dispose(1);
  reactor_.advance(limits::kDisposeWait - 1ms);
  EXPECT_EQ(disposed_, 0);
  reactor_.advance(1ms);
  EXPECT_EQ(disposed_, 1);
  // A host that is lost meanwhile is not waited for.
  load("todo", 2, artifact("g2"));
  dispose(2);
  daemon.session->onClose(1006, "");
  EXPECT_EQ(disposed_, 2);
}

TEST_F(PluginCallsTest, DisposingWithoutHostsOrHostEntryIsDoneAtOnce) {
  load("todo", 1, artifact("g1"));
  load("plain", 2, nullptr);
  dispose(1);
  connect();
  dispose(2);
  dispose(99);
  EXPECT_EQ(disposed_, 3);
  EXPECT_EQ(loads_.find(1), nullptr);
  EXPECT_EQ(loads_.find(2), nullptr);
}

TEST_F(PluginCallsTest, WhatWasUnloadedWhileASessionOpenedIsDisposedOnItsHost) {
  load("todo", 1, artifact("g1"));
  load("chat", 2, artifact("g2"));
  const auto session = openSession();
  dispose(1);
  EXPECT_EQ(disposed_, 1);
  ASSERT_TRUE(sessions_->accept(session->id(), "host_1").ok());
  const auto socket = std::make_shared<RecordedSocket>();
  session->onOpen(socket);
  EXPECT_EQ(socket->next()["command"].dump(),
            R"({"type":"plugin.host.dispose","pluginId":"todo","generation":"g1"})");
  EXPECT_EQ(socket->unread(), 0U);
}

}  // namespace
}  // namespace svc::hosts
