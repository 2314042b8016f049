#include "response_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output_queue.h"

namespace svc::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string head(const Response& response, ResponseFacts facts = {},
                 Framing framing = Framing::kLength) {
  facts.request_id = "id-1";
  facts.date = "now";
  std::string out;
  appendHead(out, response, facts, framing);
  return out;
}

TEST(ResponseWriterTest, WritesStatusLengthAndRequestId) {
  EXPECT_EQ(
      head({.body = "{}"}),
      "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: 2\r\n"
      "x-request-id: id-1\r\ndate: now\r\n\r\n");
}

TEST(ResponseWriterTest, SaysWhenTheConnectionEnds) {
  EXPECT_THAT(head({}, {.keep_alive = false}), HasSubstr("connection: close\r\n"));
  EXPECT_THAT(head({}, {.version = 10}), HasSubstr("connection: keep-alive\r\n"));
}

TEST(ResponseWriterTest, BodylessStatusesHaveNoLength) {
  EXPECT_THAT(head({.status = 204}), Not(HasSubstr("content-length")));
  EXPECT_THAT(head({.status = 304}), Not(HasSubstr("content-type")));
}

TEST(ResponseWriterTest, LeavesOutHeadersThatWouldBreakTheMessage) {
  Response response;
  response.headers = {{"x-good", "1"},
                      {"x-bad", "a\r\nx-evil: 1"},
                      {"bad name", "1"},
                      {"Content-Length", "99"},
                      {"Transfer-Encoding", "chunked"},
                      {"Connection", "close"},
                      {"content-type", "text/html"}};
  const auto text = head(response);
  EXPECT_THAT(text, HasSubstr("x-good: 1\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("evil")));
  EXPECT_THAT(text, Not(HasSubstr("bad name")));
  EXPECT_THAT(text, Not(HasSubstr("99")));
  EXPECT_THAT(text, Not(HasSubstr("chunked")));
  EXPECT_THAT(text, Not(HasSubstr("close")));
  EXPECT_THAT(text, Not(HasSubstr("text/html")));
}

TEST(ResponseWriterTest, AnEmptyContentTypeLeavesTheHeaderToTheHandler) {
  Response response;
  response.content_type.clear();
  response.headers = {{"content-type", "text/html"}};
  EXPECT_THAT(head(response), HasSubstr("content-type: text/html\r\n"));
}

TEST(ResponseWriterTest, CrossOriginsGetTheirHeaders) {
  const auto text = head({}, {.cors_origin = "https://app.example"});
  EXPECT_THAT(text, HasSubstr("access-control-allow-origin: https://app.example\r\n"));
  EXPECT_THAT(text, HasSubstr("vary: origin\r\n"));
}

TEST(ResponseWriterTest, WhatIsForOwnPagesIsNotEmbeddedByOthers) {
  EXPECT_THAT(head({}, {.own_pages_only = true}),
              HasSubstr("cross-origin-resource-policy: same-origin\r\n"));
  EXPECT_THAT(head({}), Not(HasSubstr("cross-origin-resource-policy")));
  EXPECT_THAT(head({}, {.cors_origin = "https://app.example", .own_pages_only = true}),
              Not(HasSubstr("cross-origin-resource-policy")));
  Response response;
  response.headers = {{"Cross-Origin-Resource-Policy", "cross-origin"}};
  EXPECT_THAT(head(response, {.own_pages_only = true}), Not(HasSubstr("same-origin")));
}

TEST(ResponseWriterTest, ChunksCarryTheirSize) {
  std::string out;
  appendChunk(out, "0123456789abcdef");
  appendChunk(out, "");
  EXPECT_EQ(out, "10\r\n0123456789abcdef\r\n");
}

std::string drainAll(OutputQueue& queue, std::size_t step) {
  std::string text;
  while (!queue.empty()) {
    OutputQueue::Buffers storage;
    const auto buffers = queue.buffers(storage);
    std::size_t taken = 0;
    for (const auto& buffer : buffers) {
      const auto part = std::min(step - taken, buffer.size());
      text.append(static_cast<const char*>(buffer.data()), part);
      taken += part;
    }
    queue.consume(taken);
  }
  return text;
}

TEST(OutputQueueTest, KeepsTheOrderOfSmallAndLargePieces) {
  const std::string large(OutputQueue::kLarge + 1, 'L');
  for (const std::size_t step : {1UL, 7UL, 100'000UL}) {
    OutputQueue queue;
    queue.append("head");
    queue.appendBody(std::string(large));
    queue.append("next");
    queue.appendBody("small");
    EXPECT_EQ(queue.size(), 4 + large.size() + 4 + 5);
    EXPECT_EQ(drainAll(queue, step), "head" + large + "nextsmall");
    EXPECT_EQ(queue.size(), 0U);
  }
}

TEST(OutputQueueTest, SealedPiecesDoNotMove) {
  OutputQueue queue;
  queue.append("first");
  OutputQueue::Buffers storage;
  const auto* before = queue.buffers(storage).front().data();
  queue.seal();
  queue.append(std::string(10'000, 'x'));
  EXPECT_EQ(queue.buffers(storage).front().data(), before);
  EXPECT_EQ(queue.buffers(storage).front().size(), 5U);
}

TEST(ResponseWriterTest, ACrossOriginIsNamedOnce) {
  Response response;
  response.headers = {{"access-control-allow-origin", "*"}};
  EXPECT_THAT(head(response), HasSubstr("access-control-allow-origin: *\r\n"));
  const auto cross = head(response, {.cors_origin = "https://a.example"});
  EXPECT_THAT(cross, HasSubstr("access-control-allow-origin: https://a.example\r\n"));
  EXPECT_THAT(cross, Not(HasSubstr("access-control-allow-origin: *")));
}

}  // namespace
}  // namespace svc::http
