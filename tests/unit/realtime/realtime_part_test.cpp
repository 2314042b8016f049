#include "realtime_part.h"

#include "hub_fixture.h"
#include "mocks/mock_generation.h"

namespace svc::realtime {
namespace {

using ::testing::ElementsAre;
using ::testing::NiceMock;
using ::testing::ReturnRefOfCopy;

class RealtimePartTest : public HubFixture {
 protected:
  script::HostFunction publish() {
    const auto generation = std::make_shared<NiceMock<plugins::MockGeneration>>();
    ON_CALL(*generation, pluginId).WillByDefault(ReturnRefOfCopy(std::string("to\"do")));
    return std::move(realtimePart(hub_).functions(generation).at(0));
  }
};

TEST_F(RealtimePartTest, SplicesTheTwoLines) {
  const auto window = greeted();
  auto function = publish();
  EXPECT_EQ(function.name, "realtime.publish");
  EXPECT_TRUE(function.sync("\"a\"\n{\"x\":\"1\\n2\"}").ok());
  reactor_.runAll();
  EXPECT_THAT(
      window->texts(),
      ElementsAre(
          R"({"type":"plugin-signal","pluginId":"to\"do","channel":"a","payload":{"x":"1\n2"}})"));
}

TEST_F(RealtimePartTest, RefusesAnArgumentOfOneLine) { EXPECT_FALSE(publish().sync("\"a\"").ok()); }

TEST_F(RealtimePartTest, EmbedsItsScript) {
  EXPECT_NE(realtimePart(hub_).script.find("realtime.publish"), std::string_view::npos);
}

}  // namespace
}  // namespace svc::realtime
