#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include <Poco/Net/StreamSocket.h>

#include "svc/common/codes.h"

#include "network_fixture.h"
#include "test_server.h"

namespace svc::serverlink {
namespace {

using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;
using testing::HasSubstr;

class DownloadTest : public NetworkFixture {
 protected:
  std::string content() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void expectNothing(const Result<Download>& result, Errc code) const {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, code) << result.error().message;
    EXPECT_FALSE(std::filesystem::exists(file_));
  }

  std::filesystem::path file_ = root_ / "artifact";
};

TEST_F(DownloadTest, WritesAPrivateFileAndItsDigest) {
  TestServer server([](HTTPServerRequest& request, HTTPServerResponse& response) {
    response.setContentLength(3);
    response.send() << (request.get("Authorization") == "Bearer key" ? "abc" : "xyz");
  });
  const auto result = download({server.address()}, file_);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().bytes, 3U);
  EXPECT_EQ(result.value().sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(content(), "abc");
  struct stat facts {};
  ::stat(file_.c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(DownloadTest, TakesLargeFilesInPieces) {
  const std::string piece(100'000, 'x');
  TestServer server([&](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setChunkedTransferEncoding(true);
    auto& out = response.send();
    for (int count = 0; count < 100; ++count) {
      out << piece;
    }
  });
  const auto result = download({server.address()}, file_, 10'000'000);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value().bytes, 10'000'000U);
  EXPECT_EQ(std::filesystem::file_size(file_), 10'000'000U);
}

TEST_F(DownloadTest, WorksWithTls) {
  const TestCertificate certificate(root_);
  TestServer server(
      [](HTTPServerRequest&, HTTPServerResponse& response) { response.send() << "abc"; },
      certificate);
  EXPECT_TRUE(download({server.address(), certificate.fingerprint}, file_).ok());
  EXPECT_EQ(content(), "abc");
}

TEST_F(DownloadTest, RefusalsLeaveNothing) {
  const std::pair<HTTPServerResponse::HTTPStatus, Errc> table[] = {
      {HTTPServerResponse::HTTP_UNAUTHORIZED, errc::kUnauthorized},
      {HTTPServerResponse::HTTP_FORBIDDEN, errc::kUnauthorized},
      {HTTPServerResponse::HTTP_NOT_FOUND, errc::kNotFound},
      {HTTPServerResponse::HTTP_SERVICE_UNAVAILABLE, errc::kHostUnavailable},
      {HTTPServerResponse::HTTP_FOUND, errc::kHostUnavailable}};
  for (const auto& [status, code] : table) {
    TestServer server([answer = status](HTTPServerRequest&, HTTPServerResponse& response) {
      response.setStatus(answer);
      response.send() << "no";
    });
    expectNothing(download({server.address()}, file_), code);
  }
}

TEST_F(DownloadTest, MoreThanTheLimitLeavesNothing) {
  TestServer announced([](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setContentLength(11);
    response.send() << "12345678901";
  });
  expectNothing(download({announced.address()}, file_, 10), errc::kTooLarge);
  TestServer chunked([](HTTPServerRequest&, HTTPServerResponse& response) {
    response.setChunkedTransferEncoding(true);
    response.send() << "12345678901";
  });
  expectNothing(download({chunked.address()}, file_, 10), errc::kTooLarge);
  EXPECT_TRUE(download({chunked.address()}, file_, 11).ok());
}

TEST_F(DownloadTest, ATruncatedAnswerLeavesNothing) {
  Poco::Net::ServerSocket listener(Poco::Net::SocketAddress("127.0.0.1", 0));
  std::thread server([&] {
    auto peer = listener.acceptConnection();
    char request[4096];
    peer.receiveBytes(request, sizeof request);
    const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    peer.sendBytes(text.data(), static_cast<int>(text.size()));
    peer.shutdownSend();
    peer.receiveBytes(request, sizeof request);
  });
  const auto result = download({{false, "127.0.0.1", listener.address().port(), ""}}, file_);
  server.join();
  expectNothing(result, errc::kHostUnavailable);
}

TEST_F(DownloadTest, WithoutAServerItSaysSo) {
  ServerAddress address;
  {
    const Poco::Net::ServerSocket unused(Poco::Net::SocketAddress("127.0.0.1", 0));
    address = {false, "127.0.0.1", unused.address().port(), ""};
  }
  expectNothing(download({address}, file_), errc::kHostUnavailable);
}

TEST_F(DownloadTest, ProblemsOfTheDiskNameTheFile) {
  TestServer server(
      [](HTTPServerRequest&, HTTPServerResponse& response) { response.send() << "abc"; });
  const auto result = download({server.address()}, root_ / "missing" / "artifact");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr((root_ / "missing" / "artifact").string()));
}

TEST_F(DownloadTest, AFileThatIsThereStays) {
  TestServer server(
      [](HTTPServerRequest&, HTTPServerResponse& response) { response.send() << "abc"; });
  std::ofstream(file_) << "mine";
  const auto result = download({server.address()}, file_);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, errc::kUnavailable);
  EXPECT_EQ(content(), "mine");
}

}  // namespace
}  // namespace svc::serverlink
