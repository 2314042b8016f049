#include "request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

namespace svc::http {
namespace {

using Progress = RequestParser::Progress;
using ::testing::HasSubstr;

class RequestParserTest : public ::testing::Test {
 protected:
  RequestParserTest() { parser_.reset(request_); }

  /// Feeds `text` piece by piece, as a socket would, until the message ends or fails.
  Progress feed(std::string_view text, std::size_t piece = 100'000) {
    std::string buffer;
    auto progress = Progress::kNeedMore;
    while (!text.empty() && progress == Progress::kNeedMore) {
      buffer.append(text.substr(0, piece));
      text.remove_prefix(std::min(piece, text.size()));
      progress = parseAll(buffer);
    }
    rest_ = buffer + std::string(text);
    return progress;
  }

  Request request_;
  RequestParser parser_;
  std::string rest_;
  std::size_t limit_ = 1000;

 private:
  Progress parseAll(std::string& buffer) {
    for (;;) {
      std::size_t consumed = 0;
      const auto progress = parser_.parse(buffer, consumed);
      buffer.erase(0, consumed);
      if (progress != Progress::kHeader) {
        return progress;
      }
      parser_.expectBody(limit_, RequestParser::Body::kKeep);
    }
  }
};

TEST_F(RequestParserTest, ReadsARequestWithoutBody) {
  ASSERT_EQ(feed("GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Thing:  v \r\n\r\nrest"),
            Progress::kComplete);
  EXPECT_EQ(request_.method, "GET");
  EXPECT_EQ(request_.target, "/a?b=c");
  ASSERT_EQ(request_.headers.size(), 2U);
  EXPECT_EQ(request_.headers[1].name, "X-Thing");
  EXPECT_EQ(request_.headers[1].value, "v");
  EXPECT_EQ(rest_, "rest");
  EXPECT_TRUE(parser_.facts().keep_alive);
}

TEST_F(RequestParserTest, ReadsABodyInAnyPieces) {
  for (std::size_t piece = 1; piece < 20; ++piece) {
    request_ = {};
    parser_.reset(request_);
    ASSERT_EQ(feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloNEXT", piece),
              Progress::kComplete);
    EXPECT_EQ(request_.body, "hello");
    EXPECT_EQ(rest_, "NEXT");
  }
}

TEST_F(RequestParserTest, ReadsChunkedBodiesAndIgnoresTrailers) {
  for (std::size_t piece = 1; piece < 20; ++piece) {
    request_ = {};
    parser_.reset(request_);
    ASSERT_EQ(feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\nNEXT",
                   piece),
              Progress::kComplete)
        << piece;
    EXPECT_EQ(request_.body, "abcde");
    EXPECT_EQ(request_.header("x-trailer"), nullptr);
    EXPECT_EQ(rest_, "NEXT");
  }
}

TEST_F(RequestParserTest, RefusesBothLengthAndTransferEncoding) {
  for (const auto* headers : {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                              "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                              "Content-Length: 5\r\nContent-Length: 6\r\n"}) {
    request_ = {};
    parser_.reset(request_);
    ASSERT_EQ(feed(std::string("POST / HTTP/1.1\r\nHost: x\r\n") + headers + "\r\n0\r\n\r\n"),
              Progress::kFailed)
        << headers;
    EXPECT_EQ(parser_.failure().code, errc::kInvalidInput);
  }
}

TEST_F(RequestParserTest, RefusesOtherTransferEncodings) {
  for (const auto* coding : {"gzip", "gzip, chunked", "gzip, chunked, identity", "xchunked"}) {
    request_ = {};
    parser_.reset(request_);
    EXPECT_EQ(feed(std::string("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ") + coding +
                   "\r\n\r\n"),
              Progress::kFailed)
        << coding;
  }
}

TEST_F(RequestParserTest, RefusesMalformedRequests) {
  for (const auto* text :
       {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\n\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: a\x01\r\n\r\n"}) {
    request_ = {};
    parser_.reset(request_);
    EXPECT_EQ(feed(text), Progress::kFailed) << text;
  }
}

TEST_F(RequestParserTest, NeedsExactlyOneHost) {
  EXPECT_EQ(feed("GET / HTTP/1.1\r\n\r\n"), Progress::kFailed);
  parser_.reset(request_);
  EXPECT_EQ(feed("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), Progress::kFailed);
  parser_.reset(request_);
  EXPECT_EQ(feed("GET / HTTP/1.0\r\n\r\n"), Progress::kComplete);
}

TEST_F(RequestParserTest, LimitsTheHeadersAsAWhole) {
  std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
  while (text.size() <= limits::kHeaders) {
    text += "X-Filler: " + std::string(100, 'a') + "\r\n";
  }
  text += "\r\n";
  ASSERT_EQ(feed(text, 1000), Progress::kFailed);
  EXPECT_EQ(parser_.failure().code, errc::kTooLarge);
  EXPECT_THAT(parser_.failure().message, HasSubstr(std::to_string(limits::kHeaders)));
}

TEST_F(RequestParserTest, LimitsALineThatNeverEnds) {
  EXPECT_EQ(feed("GET /" + std::string(limits::kHeaders + 100, 'a'), 1000), Progress::kFailed);
  EXPECT_EQ(parser_.failure().code, errc::kTooLarge);
}

TEST_F(RequestParserTest, LimitsChunkedBodiesAndNamesBothNumbers) {
  limit_ = 4;
  ASSERT_EQ(feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"),
            Progress::kFailed);
  EXPECT_EQ(parser_.failure().code, errc::kTooLarge);
  EXPECT_THAT(parser_.failure().message, HasSubstr("larger than 4 bytes (at least 5 bytes)"));
}

TEST_F(RequestParserTest, LimitsEndlessChunkHeaders) {
  EXPECT_EQ(feed("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                     std::string(2 * limits::kHeaders, 'x'),
                 1000),
            Progress::kFailed);
}

TEST_F(RequestParserTest, KnowsWhenTheConnectionEnds) {
  ASSERT_EQ(feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), Progress::kComplete);
  EXPECT_FALSE(parser_.facts().keep_alive);
  parser_.reset(request_);
  ASSERT_EQ(feed("GET / HTTP/1.0\r\n\r\n"), Progress::kComplete);
  EXPECT_FALSE(parser_.facts().keep_alive);
  parser_.reset(request_);
  ASSERT_EQ(feed("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), Progress::kComplete);
  EXPECT_TRUE(parser_.facts().keep_alive);
}

TEST(SplitTargetTest, SplitsPathAndQuery) {
  Request request;
  request.target = "/a/b?c=d?e";
  ASSERT_TRUE(splitTarget(request, {}));
  EXPECT_EQ(request.path, "/a/b");
  EXPECT_EQ(request.query, "c=d?e");
}

TEST(SplitTargetTest, AbsoluteTargetsReplaceTheHost) {
  Request request;
  request.target = "http://svc.example:1/a?b";
  request.headers = {{"Host", "other"}};
  MessageFacts facts;
  facts.host = 0;
  ASSERT_TRUE(splitTarget(request, facts));
  EXPECT_EQ(request.path, "/a");
  EXPECT_EQ(request.query, "b");
  EXPECT_EQ(request.headers[0].value, "svc.example:1");
}

TEST(SplitTargetTest, RefusesOtherForms) {
  for (const auto* target : {"*", "a/b", "example.org:443", "ftp://x/"}) {
    Request request;
    request.target = target;
    EXPECT_FALSE(splitTarget(request, {})) << target;
  }
}

TEST(RequestIdTest, AcceptsOnlyHarmlessIds) {
  EXPECT_TRUE(isValidRequestId("aZ09._-"));
  EXPECT_TRUE(isValidRequestId(std::string(128, 'a')));
  EXPECT_FALSE(isValidRequestId(""));
  EXPECT_FALSE(isValidRequestId(std::string(129, 'a')));
  EXPECT_FALSE(isValidRequestId("a b"));
}

TEST_F(RequestParserTest, RefusesAHeaderOnTwoLines) {
  for (const std::string fold : {"X: a\r\n b\r\n", "X: a\r\n\tb\r\n"}) {
    parser_.reset(request_);
    EXPECT_EQ(feed("GET / HTTP/1.1\r\nHost: x\r\n" + fold + "\r\n"), Progress::kFailed);
    EXPECT_EQ(parser_.failure().code, errc::kInvalidInput);
    EXPECT_THAT(parser_.failure().message, HasSubstr("continues on the next line"));
  }
}

}  // namespace
}  // namespace svc::http
