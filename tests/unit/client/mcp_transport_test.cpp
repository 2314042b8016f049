#include "mcp_transport.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted_server.h"

namespace svc::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Connection = ScriptedServer::Connection;

constexpr const char* kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s1\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

/// What a call has brought.
struct Heard {
  McpHead head;
  std::vector<std::string> messages;
  std::function<void()> on_head = [] {};
  std::function<void()> on_message = [] {};

  McpSink sink() {
    return {.head =
                [this](const McpHead& got) {
                  head = got;
                  on_head();
                },
            .message =
                [this](std::string text) {
                  messages.push_back(std::move(text));
                  on_message();
                }};
  }
};

std::shared_ptr<IMcpTransport> transportTo(const std::string& url) {
  auto transport =
      mcpTransport({.url = url, .origin = "--server", .record = {}, .access_token = "t"}, "bearer");
  EXPECT_TRUE(transport) << transport.error().message;
  return std::move(transport).value();
}

TEST(McpTransportTest, CallsOfOneConnectionFollowEachOther) {
  std::string first;
  {
    ScriptedServer server({[&first](Connection& connection) {
      first = connection.request(2);
      connection.answer("[1]");
      connection.request();
      connection.answer("", "202 Accepted");
    }});
    const auto transport = transportTo(server.url());
    Heard heard;
    ASSERT_TRUE(transport->call({.body = "{}", .headers = {{"Mcp-Name", "x"}}}, heard.sink()));
    ASSERT_TRUE(transport->call({.method = "GET"}, heard.sink()));
    EXPECT_EQ(heard.head.status, 202);
    EXPECT_THAT(heard.messages, ElementsAre("[1]"));
  }
  EXPECT_THAT(first,
              AllOf(HasSubstr("POST /api/v1/mcp HTTP/1.1\r\n"), HasSubstr("\r\nMcp-Name: x\r\n"),
                    HasSubstr("\r\nAuthorization: Bearer bearer\r\n"),
                    HasSubstr("\r\nx-svc-access-token: t\r\n"),
                    HasSubstr("\r\nSvc-Ends-With-Connection: true\r\n")));
}

TEST(McpTransportTest, EventsAreHeardAsTheyCome) {
  std::promise<void> heard_one;
  ScriptedServer server({[&heard_one](Connection& connection) {
    connection.request();
    connection.say(kStream + std::string("10\r\n: hi\n\ndata: [1]\r\r\n"));
    connection.say("a\r\n\n\r\ndata: [\r\n");
    heard_one.get_future().wait();
    connection.say("5\r\n2]\n\n:\r\n0\r\n\r\n");
  }});
  Heard heard;
  heard.on_message = [&] {
    if (heard.messages.size() == 1) {
      heard_one.set_value();
    }
  };
  const auto status = transportTo(server.url())->call({.body = "{}"}, heard.sink());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(heard.head.session, "s1");
  EXPECT_THAT(heard.messages, ElementsAre("[1]", "[2]"));
}

TEST(McpTransportTest, AStopEndsARead) {
  ScriptedServer server({[](Connection& connection) {
    connection.request();
    connection.say(kStream);
    connection.waitForEnd();
  }});
  std::stop_source stop;
  Heard heard;
  heard.on_head = [&stop] { stop.request_stop(); };
  const auto status =
      transportTo(server.url())->call({.body = "{}", .stop = stop.get_token()}, heard.sink());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errc::kAborted);
}

TEST(McpTransportTest, AHeaderThatBreaksItsLineIsNotSent) {
  ScriptedServer server({[](Connection& connection) { EXPECT_EQ(connection.request(), ""); }});
  Heard heard;
  const auto status = transportTo(server.url())
                          ->call({.body = "{}", .headers = {{"x", "y\r\nz: 1"}}}, heard.sink());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errc::kInvalidArgument);
}

TEST(McpTransportTest, WhatIsNoAddressOfHttpIsRefused) {
  for (const auto* const url : {"garbage", "https://127.0.0.1:1"}) {
    const auto transport =
        mcpTransport({.url = url, .origin = "--server", .record = {}, .access_token = {}}, "");
    ASSERT_FALSE(transport) << url;
    EXPECT_THAT(transport.error().message, HasSubstr("--server: \"" + std::string(url) + "\""));
  }
}

}  // namespace
}  // namespace svc::client
