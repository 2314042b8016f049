#include "mcp_subscription.h"

#include "mcp_bridge_fixture.h"

namespace svc::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using McpSubscriptionTest = McpBridgeTest;

std::string listening(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id +
         R"(,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},)" +
         kMeta + "}}";
}

constexpr auto kAcknowledged =
    R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":)"
    R"({"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a"]},)"
    R"("_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}})";

std::string changed(const std::string& list) {
  return R"({"jsonrpc":"2.0","method":"notifications/)" + list +
         R"(/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}})";
}

/// The streams of a subscription, one after the other; the last one stays open.
class Streams {
 public:
  struct Stream {
    int status = 200;  // 0: nobody answers
    std::vector<std::string> messages{};
    bool cut = false;
  };
  explicit Streams(std::vector<Stream> all) : all_(std::move(all)) {}

  Status operator()(const McpCall& call, const McpSink& sink) {
    const auto at = (*next_)++;
    const auto& stream = all_[std::min(at, all_.size() - 1)];
    if (stream.status == 0) {
      return Error{errc::kUnavailable, "nobody answers yet"};
    }
    sink.head({stream.status, ""});
    for (const auto& message : stream.messages) {
      sink.message(message);
    }
    if (stream.cut) {
      return Error{errc::kAborted, "the answer was cut short"};
    }
    return at + 1 < all_.size() ? Status() : untilStopped(call, sink);
  }

 private:
  std::vector<Stream> all_;
  std::shared_ptr<std::atomic<std::size_t>> next_ = std::make_shared<std::atomic<std::size_t>>();
};

TEST_F(McpSubscriptionTest, ASubscriptionOutlivesTheServerThatHasAcceptedIt) {
  const std::string ended = R"({"jsonrpc":"2.0","id":"s","result":{"resultType":"complete"}})";
  const std::string full =
      R"({"jsonrpc":"2.0","id":"s","error":{"code":-32603,"message":"too many"}})";
  transport_->answers(Streams({{.messages = {kAcknowledged, ended}},
                               {.status = 0},
                               {.status = 503, .messages = {full}},
                               {.messages = {kAcknowledged, changed("tools")}, .cut = true},
                               {.messages = {kAcknowledged}}}));
  bridge_.line(listening(R"("s")"));
  const auto calls = transport_->awaitCalls(5);
  awaitLines(6);
  EXPECT_THAT(finished(), ElementsAre(kAcknowledged, changed("tools"), changed("resources"),
                                      changed("tools"), changed("tools"), changed("resources")));
  EXPECT_EQ(calls[4].body, calls[0].body);
  EXPECT_EQ(headersOf(calls[4]), headersOf(calls[0]));
  EXPECT_TRUE(complaints_.empty());
}

TEST_F(McpSubscriptionTest, ASubscriptionThatIsRefusedAtOnceIsTheClientsToKnow) {
  const std::string full =
      R"({"jsonrpc":"2.0","id":"s","error":{"code":-32603,"message":"too many"}})";
  transport_->answers(Streams({{.status = 503, .messages = {full}}, {}}));
  bridge_.line(listening(R"("s")"));
  awaitLines(1);
  transport_->answers([](const McpCall&, const McpSink&) {
    return Status(Error{errc::kUnavailable, "nobody answers"});
  });
  bridge_.line(listening("7"));
  awaitLines(2);
  EXPECT_THAT(
      finished(),
      ElementsAre(
          full, R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"nobody answers"}})"));
  EXPECT_EQ(transport_->awaitCalls(2).size(), 2U);
}

TEST_F(McpSubscriptionTest, ASubscriptionThatIsRefusedLaterEndsWithThat) {
  const std::string unknown =
      R"({"jsonrpc":"2.0","id":"s","error":{"code":-32601,"message":"unknown"}})";
  struct LateRefusal {
    Streams::Stream refusal;
    std::string line;
  };
  for (const auto& [refusal, line] :
       {LateRefusal{{.status = 401, .messages = {R"({"ok":false,"error":{"message":"revoked"}})"}},
                    R"({"jsonrpc":"2.0","id":"s","error":{"code":-32603,"message":"revoked"}})"},
        LateRefusal{{.messages = {unknown}}, unknown},
        LateRefusal{{.status = 404},
                    R"({"jsonrpc":"2.0","id":"s","error":{"code":-32603,"message":)"
                    R"("the server ended the answer before it was complete"}})"}}) {
    lines_.clear();
    transport_->answers(Streams({{.messages = {kAcknowledged}}, refusal, {}}));
    bridge_.line(listening(R"("s")"));
    awaitLines(2);
    EXPECT_THAT(finished(), ElementsAre(kAcknowledged, line));
  }
  EXPECT_EQ(transport_->awaitCalls(6).size(), 6U);
}

TEST_F(McpSubscriptionTest, ASubscriptionThatIsCancelledEndsWithoutAnAnswer) {
  transport_->answers(Streams({{.messages = {kAcknowledged}}, {}}));
  bridge_.line(listening(R"("s")"));
  const auto again = transport_->awaitCalls(2)[1];
  bridge_.line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  EXPECT_TRUE(again.stop.stop_requested());
  EXPECT_THAT(finished(), ElementsAre(kAcknowledged));
  EXPECT_EQ(transport_->awaitCalls(2).size(), 2U);
}

TEST_F(McpSubscriptionTest, TheEndDoesNotWaitForTheNextStream) {
  std::promise<void> ended;
  McpBridge patient(
      {.connect = [this] { return Result<std::shared_ptr<IMcpTransport>>(transport_); },
       .write = [](const std::string&) {},
       .complain = [](const std::string&) {},
       .listen_pause = 24h});
  transport_->answers([&ended](const McpCall&, const McpSink& sink) {
    sink.head({200, ""});
    sink.message(kAcknowledged);
    ended.set_value();
    return Status();
  });
  patient.line(listening(R"("s")"));
  ended.get_future().wait();
  patient.finish(24h);
}

}  // namespace
}  // namespace svc::client
