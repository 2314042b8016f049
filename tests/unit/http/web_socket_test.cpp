// Messages, and how a socket ends.
#include "web_socket_fixture.h"

namespace svc::test {
namespace {

TEST_F(WebSocketTest, EchoesTextAndBinary) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  EXPECT_FALSE(client.response_["x-request-id"].empty());
  client.send("hello");
  EXPECT_EQ(client.read(), "hello");
  EXPECT_TRUE(client.stream_.got_text());
  client.stream_.binary(true);
  client.stream_.write(asio::buffer(std::string("\x00\xff", 2)));
  EXPECT_EQ(client.read(), std::string("\x00\xff", 2));
  EXPECT_TRUE(client.stream_.got_binary());
}

TEST_F(WebSocketTest, SendsFromAnyThreadInOrder) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  for (int i = 0; i < 200; ++i) {
    socket->sendText(std::make_shared<const std::string>(std::to_string(i)));
  }
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.read(), std::to_string(i));
  }
}

TEST_F(WebSocketTest, AReasonIsCutBeforeACharacter) {
  std::string whole = "x";
  for (int i = 0; i < 61; ++i) {
    whole += "\u00e9";
  }
  for (const auto& [reason, shown] :
       {std::pair(whole, whole), std::pair("x" + whole, "x" + whole.substr(0, 121))}) {
    Client client(server_.port());
    ASSERT_FALSE(client.open("/api/v1/ws"));
    recorder_->socket()->close(4000, reason);
    EXPECT_EQ(client.read(), "closed 4000");
    EXPECT_EQ(std::string_view(client.stream_.reason().reason.data(),
                               client.stream_.reason().reason.size()),
              shown);
    recorder_->forget();
  }
}

TEST_F(WebSocketTest, TooLargeMessagesCloseWith1009) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.send(std::string(1001, 'x'));
  EXPECT_EQ(client.read(), "closed 1009");
  client.stream_.next_layer().close();
  EXPECT_EQ(recorder_->closeCode(), 1009);
}

TEST_F(WebSocketTest, ASlowClientIsClosedWith1013AndDelaysNobody) {
  Client slow(server_.port(), 4096);
  ASSERT_FALSE(slow.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  const auto frame = std::make_shared<const std::string>(100'000, 'x');
  for (int i = 0; i < 200; ++i) {
    socket->sendText(frame);
  }
  EXPECT_EQ(recorder_->closeCode(), 1013);
  recorder_ = std::make_shared<Recorder>();
  Client quick(server_.port());
  ASSERT_FALSE(quick.open("/api/v1/ws"));
  quick.send("still here");
  EXPECT_EQ(quick.read(), "still here");
  // What was already on its way arrives before the close frame.
  auto last = slow.read();
  while (last == *frame) {
    last = slow.read();
  }
  EXPECT_EQ(last, "closed 1013");
}

TEST_F(WebSocketTest, TheServerClosesWithItsCodeAfterWhatItSent) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  socket->sendText(std::make_shared<const std::string>("last"));
  socket->close(1012, "reload");
  EXPECT_EQ(client.read(), "last");
  EXPECT_EQ(client.read(), "closed 1012");
  EXPECT_EQ(recorder_->closeCode(), 1012);
}

TEST_F(WebSocketTest, TheClientsCloseCodeIsReported) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.stream_.close(websocket::close_code::going_away);
  EXPECT_EQ(recorder_->closeCode(), 1001);
  EXPECT_EQ(recorder_->closeCount(), 1U);
}

TEST_F(WebSocketTest, ALostConnectionIs1006) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  client.stream_.next_layer().close();
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

TEST_F(WebSocketTest, SendingToAClosedSocketDoesNothing) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  client.stream_.next_layer().close();
  recorder_->closeCode();
  socket->sendText(std::make_shared<const std::string>("x"));
  socket->close(1000, "");
  EXPECT_EQ(recorder_->closeCount(), 1U);
}

TEST_F(WebSocketTest, PingsAndDropsAClientThatMissesTwo) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  // The client never reads, so it never answers.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(recorder_->closeCount(), 0U);
    passPing();
  }
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

TEST_F(WebSocketTest, AClientWhoseMessageIsArrivingIsThere) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  for (std::size_t part = 1; part <= 6; ++part) {
    client.stream_.write_some(false, asio::buffer("part", 4));
    recorder_->awaitParts(part);
    passPing();
  }
  EXPECT_EQ(recorder_->closeCount(), 0U);
  EXPECT_EQ(recorder_->textCount(), 0U);
  client.stream_.write_some(true, asio::buffer("end", 3));
  EXPECT_EQ(client.read(), "partpartpartpartpartpartend");
  client.send("short");
  EXPECT_EQ(client.read(), "short");
  EXPECT_EQ(recorder_->partCount(), 6U);
}

TEST_F(WebSocketTest, DrainingClosesWith1001) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  std::promise<void> drained;
  server_.drain([&] { drained.set_value(); });
  EXPECT_EQ(client.read(), "closed 1001");
  auto future = drained.get_future();
  await(future);
  EXPECT_EQ(recorder_->closeCode(), 1001);
}

TEST_F(WebSocketCutTest, DrainingCutsAClientThatDoesNotAnswer) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  recorder_->socket();
  std::promise<void> drained;
  server_.drain([&] { drained.set_value(); });
  auto future = drained.get_future();
  await(future);
  EXPECT_EQ(recorder_->closeCode(), 1001);
}

TEST_F(WebSocketTest, AReceiverCanHoldTheClientBack) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  socket->setReading(false);
  client.send("already read");
  client.send("held back");
  EXPECT_EQ(client.read(), "already read") << "a read was under way";
  EXPECT_EQ(ask(get("/x")).body, "window");
  EXPECT_EQ(recorder_->textCount(), 1U);
  socket->setReading(true);
  EXPECT_EQ(client.read(), "held back");
}

TEST_F(WebSocketTest, AClientInTheMiddleOfATooLargeMessageSeesWhy) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  client.send(std::string(8'000'000, 'x'));
  EXPECT_EQ(client.read(), "closed 1009");
  EXPECT_EQ(recorder_->closeCode(), 1009);
}

TEST_F(WebSocketTest, OneMessageAboveTheBacklogIsSent) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto text = std::make_shared<const std::string>(std::string(1'500'000, 'x'));
  recorder_->socket()->sendText(text);
  EXPECT_EQ(client.read(), *text);
}

}  // namespace
}  // namespace svc::test
