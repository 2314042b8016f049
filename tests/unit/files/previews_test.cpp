#include "previews.h"

#include <fmt/format.h>

#include "svc/common/limits/files.h"
#include "svc/hostprotocol/base64.h"
#include "svc/hostprotocol/protocol.h"

#include "fixture.h"

namespace svc::files {
namespace {

using ::testing::HasSubstr;

class PreviewsTest : public MachineFixture {
 protected:
  PreviewsTest() { EXPECT_TRUE(previews_->attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> create(const std::string& body) {
    http::Request request;
    request.body = body;
    request.base_path = "/svc";
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /api/v1/files/create-preview", exchange);
    return exchange;
  }
  /// Its id.
  std::string made(const std::string& more = {}) {
    const auto exchange = create(R"({"rootPath":"~/site")" + more + "}");
    commands_.answer(R"({"path":"/home/a/site","kind":"directory"})");
    const auto base = exchange->json()["baseUrl"].asString();
    EXPECT_TRUE(base.starts_with("/svc/api/v1/files/previews/")) << base;
    return base.substr(base.rfind('/') + 1);
  }
  std::shared_ptr<RecordedExchange> get(const std::string& id, const std::string& path,
                                        const std::string& range = {}) {
    http::Request request;
    request.path_parameters = {{"preview", id}, {"*", path}};
    if (!range.empty()) {
      request.headers.push_back({"Range", range});
    }
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/files/previews/:preview/*", exchange);
    return exchange;
  }
  void describe(std::int64_t size, const std::string& type = "text/html",
                const char* kind = "file") {
    commands_.answer(fmt::format(
        R"({{"path":"/x","kind":"{}","sizeBytes":{},"modifiedAtMs":5,"mode":420,"mimeType":"{}"}})",
        kind, size, type));
  }
  static std::string piece(const std::string& bytes, int modified = 5) {
    return fmt::format(R"({{"dataBase64":"{}","sizeBytes":1,"modifiedAtMs":{}}})",
                       hostprotocol::encodeBase64(bytes), modified);
  }
  static std::string headerOf(const std::optional<http::Response>& response,
                              const std::string& name) {
    for (const auto& header : response->headers) {
      if (header.name == name) {
        return header.value;
      }
    }
    return {};
  }

  std::shared_ptr<Previews> previews_ = std::make_shared<Previews>(
      Previews::With{.commands = commands_, .registry = registry_, .clock = clock_});
};

TEST_F(PreviewsTest, ServesAFileBelowItsRoot) {
  const auto id = made();
  EXPECT_EQ(id.size(), 48U);
  const auto exchange = get(id, "a/b.html");
  EXPECT_EQ(commands_.asked.front().text,
            R"({"type":"host.file-metadata","path":"./a/b.html","rootPath":"/home/a/site"})");
  describe(5);
  EXPECT_EQ(
      commands_.asked.front().text,
      R"({"type":"host.file-range","path":"./a/b.html","rootPath":"/home/a/site","offset":0,"length":5})");
  commands_.answer(piece("hello"));
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body, "hello");
  EXPECT_EQ(exchange->answer->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(headerOf(exchange->answer, "content-security-policy"),
            "sandbox allow-scripts allow-forms");
  EXPECT_EQ(headerOf(exchange->answer, "x-content-type-options"), "nosniff");
}

TEST_F(PreviewsTest, PathsAreRelativeWhateverTheyBeginWith) {
  const auto id = made();
  for (const auto* path : {"/etc/passwd", "~/.ssh/id", "../x"}) {
    const auto exchange = get(id, path);
    EXPECT_EQ(commands_.asked.front().command["path"].asString(), std::string("./") + path);
    commands_.fail(errc::kForbidden);
    EXPECT_EQ(exchange->status(), 404U) << "and nothing says that there is something";
  }
}

TEST_F(PreviewsTest, IsGoneAfterItsTime) {
  const auto id = made(R"(,"ttlMs":1000)");
  reactor_.advance(std::chrono::milliseconds(999));
  get(id, "a");
  EXPECT_EQ(commands_.asked.size(), 1U);
  reactor_.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(get(id, "a")->status(), 404U);
  EXPECT_EQ(get("unknown", "a")->status(), 404U);
}

TEST_F(PreviewsTest, IsEndedBeforeItsTime) {
  const auto end = [this](const std::string& id) {
    http::Request request;
    request.path_parameters = {{"preview", id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("DELETE /api/v1/files/previews/:preview", exchange);
    return exchange;
  };
  const auto id = made(R"(,"ttlMs":1000)");
  const auto other = made(R"(,"ttlMs":1000)");
  EXPECT_EQ(end(id)->answer->body, R"({"ok":true})");
  EXPECT_EQ(get(id, "a")->status(), 404U);
  EXPECT_EQ(end(id)->errorCode(), "not_found");
  get(other, "a");
  EXPECT_EQ(commands_.asked.size(), 1U);
  reactor_.advance(std::chrono::milliseconds(1000));
  EXPECT_EQ(end(other)->status(), 404U);
}

TEST_F(PreviewsTest, ARangeIsAPart) {
  const auto id = made();
  const auto part = get(id, "a.mp4", "bytes=2-3");
  describe(10, "video/mp4");
  EXPECT_EQ(commands_.asked.front().command["offset"].asInteger(), 2);
  commands_.answer(piece("cd"));
  EXPECT_EQ(part->status(), 206U);
  EXPECT_EQ(headerOf(part->answer, "content-range"), "bytes 2-3/10");
  const auto behind = get(id, "a.mp4", "bytes=10-");
  describe(10, "video/mp4");
  EXPECT_EQ(behind->status(), 416U);
  EXPECT_EQ(headerOf(behind->answer, "content-range"), "bytes */10");
}

TEST_F(PreviewsTest, ALargeFileComesInPieces) {
  const auto id = made();
  const auto exchange = get(id, "a.mp4");
  describe(static_cast<std::int64_t>(hostprotocol::kFileRange) + 3, "video/mp4");
  commands_.answer(piece(std::string(hostprotocol::kFileRange, 'x')));
  ASSERT_TRUE(exchange->head);
  EXPECT_EQ(commands_.asked.front().command["length"].asInteger(), 3);
  commands_.answer(piece("end"));
  EXPECT_TRUE(exchange->ended);
  EXPECT_TRUE(exchange->written.ends_with("xend"));
}

TEST_F(PreviewsTest, AFileThatChangesMeanwhileIsCutOff) {
  const auto id = made();
  const auto first = get(id, "a");
  describe(4);
  commands_.answer(piece("abcd", 6));
  EXPECT_EQ(first->status(), 409U);
  const auto second = get(id, "a");
  describe(static_cast<std::int64_t>(hostprotocol::kFileRange) + 3);
  commands_.answer(piece(std::string(hostprotocol::kFileRange, 'x')));
  commands_.answer(piece("e"));
  EXPECT_TRUE(second->aborted);
}

TEST_F(PreviewsTest, FromAnotherMachineComesOnlySoMuch) {
  const auto id = made(R"(,"hostId":"far")");
  const auto exchange = get(id, "a");
  EXPECT_EQ(commands_.asked.front().host_id, "far");
  describe(static_cast<std::int64_t>(limits::kFileWrite) + 1);
  EXPECT_EQ(exchange->status(), 413U);
}

TEST_F(PreviewsTest, OnlyFilesAreServedAndOnlyDirectoriesAreRoots) {
  const auto id = made();
  const auto directory = get(id, "sub");
  describe(0, "", "directory");
  EXPECT_EQ(directory->status(), 404U);
  const auto file = create(R"({"rootPath":"/a"})");
  commands_.answer(R"({"path":"/a","kind":"file"})");
  EXPECT_EQ(file->errorCode(), "invalid_input");
  const auto missing = create(R"({"rootPath":"/a"})");
  commands_.fail(errc::kNotFound);
  EXPECT_EQ(missing->status(), 404U);
  for (const auto* body :
       {R"({})", R"({"rootPath":"/a","ttlMs":0})", R"({"rootPath":"/a","ttlMs":86400001})"}) {
    EXPECT_EQ(create(body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_THAT(
      create(R"({"rootPath":"/a","ttlMs":86400001})")->json()["error"]["message"].asString(),
      ::testing::HasSubstr("from 1 to 86400000 (limit previewTtl), not 86400001"));
  const auto ignored = create(R"({"rootPath":"/a","more":1})");
  commands_.answer(R"({"path":"/a","kind":"directory"})");
  EXPECT_EQ(ignored->status() / 100, 2U) << "what is unknown is ignored";
}

TEST_F(PreviewsTest, ThereAreSoManyAndNoMore) {
  for (std::size_t number = 0; number < limits::kPreviews; ++number) {
    made();
  }
  const auto refused = create(R"({"rootPath":"/a"})");
  commands_.answer(R"({"path":"/a","kind":"directory"})");
  EXPECT_EQ(refused->status(), 503U);
  EXPECT_THAT(refused->json()["error"]["message"].asString(), HasSubstr("limit previews: 1000"));
  reactor_.advance(limits::kPreviewTtl);
  made();
}

TEST_F(PreviewsTest, APdfHasNoSandboxForItsViewerDoesNotStartInOne) {
  const auto id = made();
  const auto exchange = get(id, "a.pdf");
  describe(0, "application/pdf");
  EXPECT_EQ(headerOf(exchange->answer, "content-security-policy"), "");
}

}  // namespace
}  // namespace svc::files
