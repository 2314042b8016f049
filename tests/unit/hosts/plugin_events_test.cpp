#include "plugin_events.h"

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PluginEventsTest : public HostsFixture {
 protected:
  static std::string signal(const std::string& generation, const std::string& payload = "1") {
    return fmt::format(
        R"({{"type":"plugin-host.signal","pluginId":"todo","generation":"{}","signal":"tick"{}}})",
        generation, payload.empty() ? "" : ",\"payload\":" + payload);
  }
  static std::string exited(const std::string& generation) {
    return fmt::format(
        R"({{"type":"plugin-host.worker-exited","pluginId":"todo","generation":"{}"}})",
        generation);
  }
};

TEST_F(PluginEventsTest, SignalsReachTheScriptAsTheyAre) {
  const auto daemon = connect();
  const auto generation = load("todo", 1, artifact("g1"));
  daemon.says(signal("g1", R"({"n":  1.50})"));
  daemon.says(signal("g1", ""));
  ASSERT_THAT(generation->calls, SizeIs(2));
  const auto& call = generation->calls[0];
  EXPECT_EQ(call.source, "host:host_1");
  EXPECT_EQ(call.invocation.function, "hosts.event");
  EXPECT_EQ(call.invocation.meta, R"({"hostId":"host_1","signal":"tick"})");
  EXPECT_EQ(call.invocation.body, R"({"n":  1.50})");
  EXPECT_EQ(generation->calls[1].invocation.body, "");
}

TEST_F(PluginEventsTest, AStackInASignalNamesTheSourcesOfItsEntry) {
  auto made = std::make_shared<HostArtifact>(*artifact("g1"));
  made->sources = std::make_shared<EntrySources>(
      R"({"version":3,"sources":["../host.ts"],"mappings":"AAAA"})", "/p/dist/host.js");
  const auto generation = load("todo", 1, made);
  connect().says(
      signal("g1", R"({"stack":"at file:///d/todo/)" + made->digest + R"(/host.mjs:1:1"})"));
  ASSERT_THAT(generation->calls, SizeIs(1));
  EXPECT_EQ(generation->calls[0].invocation.body, R"({"stack":"at /p/host.ts:1:1"})");
}

TEST_F(PluginEventsTest, ExitsReachTheScript) {
  const auto generation = load("todo", 1, artifact("g1"));
  connect("host_2").says(exited("g1"));
  ASSERT_THAT(generation->calls, SizeIs(1));
  EXPECT_EQ(generation->calls[0].invocation.meta, R"({"hostId":"host_2"})");
}

TEST_F(PluginEventsTest, OnlyTheCurrentArtifactCounts) {
  const auto daemon = connect();
  const auto old = load("todo", 1, artifact("g1"));
  const auto present = load("todo", 2, artifact("g2"));
  for (const auto* generation : {"g1", "g3", ""}) {
    daemon.says(signal(generation));
    daemon.says(exited(generation));
  }
  EXPECT_THAT(old->calls, IsEmpty());
  EXPECT_THAT(present->calls, IsEmpty());
  calls_->dispose(2, {});
  daemon.says(signal("g2"));
  EXPECT_THAT(present->calls, IsEmpty());
  // The previous load is not the last any more even when the last is gone.
  EXPECT_EQ(loads_.current("todo", "g2"), nullptr);
}

TEST_F(PluginEventsTest, APluginThatHasEndedGetsNothing) {
  const auto daemon = connect();
  load("todo", 1, artifact("g1")).reset();
  daemon.says(signal("g1"));
  daemon.says(exited("g1"));
  EXPECT_EQ(loads_.find(1)->waiting->events, 0U);
}

TEST_F(PluginEventsTest, APluginThatIsBehindLosesSignalsWithOneLine) {
  const auto daemon = connect();
  const auto generation = load("todo", 1, artifact("g1"));
  const std::string payload = '"' + std::string(limits::kHostOutput - 2, 'x') + '"';
  const auto fit = PluginEvents::kWaitingBytes / limits::kHostOutput;
  for (std::size_t count = 0; count < fit + 3; ++count) {
    daemon.says(signal("g1", payload));
  }
  EXPECT_THAT(generation->calls, SizeIs(fit));
  EXPECT_THAT(generation->lines, ElementsAre(HasSubstr("signals of host \"host_1\" are dropped")));
  while (generation->answer("hosts.event", std::string())) {
  }
  daemon.says(signal("g1", payload));
  EXPECT_THAT(generation->calls, SizeIs(1));
}

TEST_F(PluginEventsTest, AsManySignalsAsAPluginMayWaitForReachIt) {
  const auto daemon = connect();
  const auto generation = load("todo", 1, artifact("g1"));
  for (std::size_t count = 0; count < PluginEvents::kWaiting + 100; ++count) {
    daemon.says(signal("g1"));
  }
  EXPECT_THAT(generation->calls, SizeIs(PluginEvents::kWaiting));
  EXPECT_THAT(generation->lines, SizeIs(1));
}

TEST_F(PluginEventsTest, APayloadBeyondTheLimitIsDropped) {
  const auto daemon = connect();
  const auto generation = load("todo", 1, artifact("g1"));
  daemon.says(signal("g1", '"' + std::string(limits::kHostOutput, 'x') + '"'));
  EXPECT_THAT(generation->calls, IsEmpty());
  EXPECT_THAT(generation->lines, ElementsAre(HasSubstr("limit host-output is 8388608")));
}

TEST_F(PluginEventsTest, LinesOfWorkersGoToThePluginsLog) {
  loads_.setNumbers({{"todo", 4}});
  connect().says(
      R"({"type":"plugin-host.log","pluginId":"todo","generation":"g0","lines":[{"stream":"stdout","text":"hello"},{"stream":"stderr","text":"oh"},{"stream":"stderr","level":"error","text":"no"}]})");
  EXPECT_THAT(lines_, ElementsAre("todo 4 info host:host_1: hello", "todo 4 warn host:host_1: oh",
                                  "todo 4 error host:host_1: no"));
}

TEST_F(PluginEventsTest, LinesOfWorkersNameTheSourcesOfTheirEntry) {
  auto made = std::make_shared<HostArtifact>(*artifact("g1"));
  made->sources = std::make_shared<EntrySources>(
      R"({"version":3,"sources":["../host.ts"],"mappings":"AAAA"})", "/p/dist/host.js");
  load("todo", 1, made);
  const auto place = "file:///d/plugin-host-artifacts/todo/" + made->digest + "/host.mjs:1:1";
  const auto daemon = connect();
  for (const auto* plugin : {"todo", "other"}) {
    daemon.says(fmt::format(
        R"({{"type":"plugin-host.log","pluginId":"{}","generation":"g1","lines":[{{"stream":"stderr","text":"    at {}"}}]}})",
        plugin, place));
  }
  EXPECT_THAT(lines_, ElementsAre("todo 0 warn host:host_1:     at /p/host.ts:1:1",
                                  "other 0 warn host:host_1:     at " + place));
}

}  // namespace
}  // namespace svc::hosts
