#include "net_stream.h"

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <gtest/gtest.h>

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class NetStreamTest : public testing::Test {
 protected:
  NetStreamTest() {
    tcp::acceptor acceptor(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    tcp::socket near(context_);
    near.connect(acceptor.local_endpoint());
    far_ = acceptor.accept();
    stream_.emplace(std::move(near));
  }

  /// Writes it, and tells how much the stream says is written.
  std::size_t write(const std::string& text) {
    std::size_t written = 0;
    stream_->async_write_some(asio::buffer(text),
                              [&](const boost::system::error_code& failure, std::size_t count) {
                                EXPECT_FALSE(failure);
                                written = count;
                              });
    EXPECT_EQ(written, 0U);  // never before the call returns
    context_.restart();
    context_.run();
    return written;
  }

  std::string arrived(std::size_t size) {
    std::string text(size, '\0');
    asio::read(far_, asio::buffer(text));
    return text;
  }

  asio::io_context context_;
  tcp::socket far_{context_};
  std::optional<NetStream> stream_;
};

TEST_F(NetStreamTest, WhatIsHeldGoesWithTheNextWrite) {
  stream_->hold(true);
  EXPECT_EQ(write("one "), 4U);
  EXPECT_EQ(write("two "), 4U);
  EXPECT_EQ(far_.available(), 0U);
  stream_->hold(false);
  EXPECT_EQ(write("three"), 5U);
  EXPECT_EQ(arrived(13), "one two three");
  EXPECT_EQ(write("!"), 1U);
  EXPECT_EQ(arrived(1), "!");
}

TEST_F(NetStreamTest, MoreThanItHoldsGoesNevertheless) {
  stream_->hold(true);
  EXPECT_EQ(write("begin"), 5U);
  const std::string rest(NetStream::kHeld, 'x');
  EXPECT_EQ(write(rest), rest.size());
  EXPECT_EQ(arrived(5 + rest.size()), "begin" + rest);
}

TEST_F(NetStreamTest, AFailureIsThatOfTheWriteThatGoes) {
  stream_->hold(true);
  EXPECT_EQ(write("lost"), 4U);
  stream_->close();
  stream_->hold(false);
  boost::system::error_code told;
  stream_->async_write_some(asio::buffer("more", 4), [&](const boost::system::error_code& failure,
                                                         std::size_t) { told = failure; });
  context_.restart();
  context_.run();
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace svc::serverlink
