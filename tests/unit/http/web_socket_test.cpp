// Messages, and how a socket ends.
#include "web_socket_fixture.h"

namespace svc::test {
namespace {

/// A frame as a client sends it.
std::string maskedFrame(char first_byte, const std::string& payload) {
  constexpr std::string_view kMask = "\x11\x22\x33\x44";
  std::string frame{first_byte};
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80U | payload.size());
  } else {
    frame += static_cast<char>(0x80U | 126U);
    frame += static_cast<char>(payload.size() >> 8U);
    frame += static_cast<char>(payload.size() & 0xFFU);
  }
  frame += kMask;
  for (std::size_t at = 0; at < payload.size(); ++at) {
    frame += static_cast<char>(payload[at] ^ kMask[at % kMask.size()]);
  }
  return frame;
}

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

TEST_F(WebSocketTest, MessagesOfEveryLengthArriveWhole) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  // The length of a frame is told in one byte, in three or in nine.
  for (const std::size_t size : {0U, 1U, 125U, 126U, 65'535U, 65'536U, 900'000U}) {
    const auto message = std::make_shared<const std::string>(size, 'x');
    socket->sendText(message);
    EXPECT_EQ(client.read(), *message);
    EXPECT_TRUE(client.stream_.got_text());
    socket->sendBinary(message);
    EXPECT_EQ(client.read(), *message);
    EXPECT_TRUE(client.stream_.got_binary());
  }
}

TEST_F(WebSocketTest, TextsOfOneTurnLeaveTogetherAtItsEnd) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  std::promise<std::size_t> promise;
  reactor_.post([&] {
    for (const auto* text : {"one", "two", "three"}) {
      socket->sendText(std::make_shared<const std::string>(text));
    }
    promise.set_value(client.stream_.next_layer().available());
  });
  auto sent = promise.get_future();
  EXPECT_EQ(await(sent), 0U);
  for (const auto* text : {"one", "two", "three"}) {
    EXPECT_EQ(client.read(), text);
  }
}

TEST_F(WebSocketTest, AShortMessageDoesNotPutALongOneBehind) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  const std::vector texts{std::make_shared<const std::string>("short"),
                          std::make_shared<const std::string>(2'000'000, 'x')};
  reactor_.post([=] {
    socket->sendText(texts[0]);
    socket->sendText(texts[1]);
  });
  for (const auto& text : {texts[0], texts[1]}) {
    EXPECT_EQ(client.read(), *text);
  }
}

TEST_F(WebSocketTest, ManyTextsAtOnceArriveInOrder) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  std::vector<std::shared_ptr<const std::string>> texts;
  for (std::size_t number = 0; number < 100; ++number) {
    // More than one call of the system takes, by their number and by their length.
    const std::size_t size = number % 20 == 9 ? 60'000 : 200;
    texts.push_back(
        std::make_shared<const std::string>(std::to_string(number) + "." + std::string(size, 'x')));
  }
  // From another thread, and from the one that sends.
  socket->sendTexts(texts);
  reactor_.post([socket, texts] { socket->sendTexts(texts); });
  for (std::size_t round = 0; round < 2; ++round) {
    for (const auto& text : texts) {
      ASSERT_EQ(client.read(), *text);
    }
  }
}

TEST_F(WebSocketTest, ASlowClientOfManyTextsHasThemInOrderUntilItIsClosed) {
  Client slow(server_.port(), 4096);
  ASSERT_FALSE(slow.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  std::vector<std::shared_ptr<const std::string>> texts;
  for (std::size_t number = 0; number < 1000; ++number) {
    texts.push_back(std::make_shared<const std::string>(std::to_string(number) + "." +
                                                        std::string(20'000, 'x')));
  }
  reactor_.post([socket, texts] { socket->sendTexts(texts); });
  EXPECT_EQ(recorder_->closeCode(), 1013);
  // The kernel took some, the last of them not as a whole.
  std::size_t count = 0;
  auto read = slow.read();
  for (; count < texts.size() && read == *texts[count]; ++count) {
    read = slow.read();
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(read, "closed 1013");
}

TEST_F(WebSocketTest, AnAnswerToAPingGoesBetweenMessages) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  std::size_t pongs = 0;
  client.stream_.control_callback([&](websocket::frame_type kind, boost::beast::string_view) {
    pongs += kind == websocket::frame_type::pong ? 1 : 0;
  });
  // More than the kernel takes while nobody reads, so that the ping comes in the middle of the message.
  const auto message = std::make_shared<const std::string>(12'000'000, 'x');
  for (std::size_t round = 0; round < 2; ++round) {
    socket->sendText(message);
    turn();  // it is taken
    turn();  // it is begun
    client.stream_.ping("who is there");
    client.send("next");
    EXPECT_EQ(client.read().size(), message->size());
    EXPECT_EQ(client.read(), "next");
  }
  EXPECT_GT(pongs, 0U);
}

TEST_F(WebSocketTest, FramesThatAreCutAnywhereAreTheSameMessages) {
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/ws"));
  constexpr char kText = '\x81';
  constexpr char kPing = '\x89';
  // Short ones in one read, one in two frames around a ping, and one that is longer than what is read first.
  const std::string pasted(300, 'x');
  const auto bytes = maskedFrame(kText, "pr") + maskedFrame(kText, "intf") +
                     maskedFrame('\x01', "hel") + maskedFrame(kPing, "?") +
                     maskedFrame('\x80', "lo") + maskedFrame(kText, pasted) +
                     maskedFrame(kText, "") + maskedFrame(kText, "\r");
  const std::vector<std::string> messages{"pr", "intf", "hello", pasted, "", "\r"};
  const auto write = [&](std::string_view part) {
    asio::write(client.stream_.next_layer(), asio::buffer(part.data(), part.size()));
    // Whoever asks behind it finds it read.
    turn();
    turn();
  };
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    write(std::string_view(bytes).substr(0, cut));
    write(std::string_view(bytes).substr(cut));
    for (const auto& message : messages) {
      ASSERT_EQ(client.read(), message) << "cut at " << cut;
    }
  }
  for (const char& byte : bytes) {
    write({&byte, 1});
  }
  for (const auto& message : messages) {
    ASSERT_EQ(client.read(), message);
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
  client.send(std::string(1000, 'x'));
  EXPECT_EQ(client.read(), std::string(1000, 'x'));
  client.send(std::string(1001, 'x'));
  EXPECT_EQ(client.read(), "closed 1009");
  EXPECT_EQ(std::string_view(client.stream_.reason().reason.data(),
                             client.stream_.reason().reason.size()),
            "a message is larger than 1000 bytes (at least 1001 bytes)");
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

TEST_F(WebSocketTest, MessagesThatAreEmptyAreABacklogToo) {
  Client slow(server_.port(), 4096);
  ASSERT_FALSE(slow.open("/api/v1/ws"));
  const auto socket = recorder_->socket();
  const std::vector empty(1000, std::make_shared<const std::string>());
  // Several times what a kernel takes of them.
  for (std::size_t round = 0; round < 8000 && recorder_->closeCount() == 0; ++round) {
    reactor_.post([&] { socket->sendTexts(empty); });
    turn();
  }
  ASSERT_EQ(recorder_->closeCount(), 1U);
  EXPECT_EQ(recorder_->closeCode(), 1013);
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
