#include "docs_files.h"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/inline_workers.h"
#include "mocks/mock_http_server.h"

namespace svc::http {
namespace {

using svc::test::InlineWorkers;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::ReturnRef;

class DocsFilesTest : public ::testing::Test {
 protected:
  DocsFilesTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-docs-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    write("docs/index.html", "<overview>");
    write("docs/404.html", "<base href=\"/\"><missing>");
    write("docs/llms.txt", "# svc");
    write("docs/guide/index.html", "<guide>");
    write("docs/guide/rpc.md", "# RPC");
    write("secret.txt", "secret");
  }
  ~DocsFilesTest() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

  Response answer(const std::string& path, std::vector<Header> headers = {},
                  const std::string& root = "docs") {
    Request request;
    request.base_path = "/svc";
    request.path = path;
    request.headers = std::move(headers);
    const auto exchange = std::make_shared<NiceMock<test::MockExchange>>();
    ON_CALL(*exchange, request()).WillByDefault(ReturnRef(request));
    Response result;
    EXPECT_CALL(*exchange, respond(_)).WillOnce([&](Response response) {
      result = std::move(response);
    });
    DocsFiles(directory_ / root, workers_).answer(exchange);
    return result;
  }

  static std::string header(const Response& response, std::string_view name) {
    for (const auto& each : response.headers) {
      if (each.name == name) {
        return each.value;
      }
    }
    return {};
  }

  std::filesystem::path directory_;
  InlineWorkers workers_;
};

TEST_F(DocsFilesTest, TakesItsPathsAndNoOthers) {
  for (const auto* path :
       {"/docs", "/docs/", "/docs/guide/rpc.html", "/llms.txt", "/llms-full.txt"}) {
    EXPECT_TRUE(DocsFiles::serves(path)) << path;
  }
  for (const auto* path : {"/", "/docsx", "/plugins/docs/", "/llms.txt/x", "/index.html"}) {
    EXPECT_FALSE(DocsFiles::serves(path)) << path;
  }
}

TEST_F(DocsFilesTest, ServesPagesUnderThePolicyOfTheWindow) {
  const auto page = answer("/docs/index.html");
  EXPECT_EQ(page.body, "<overview>");
  EXPECT_THAT(header(page, "content-security-policy"), HasSubstr("script-src 'self'"));
  const auto markdown = answer("/docs/guide/rpc.md");
  EXPECT_EQ(markdown.body, "# RPC");
  EXPECT_EQ(markdown.content_type, "text/markdown; charset=utf-8");
  EXPECT_EQ(answer("/llms.txt").body, "# svc");
}

TEST_F(DocsFilesTest, AFolderIsItsIndexAndItsAddressEndsWithASlash) {
  EXPECT_EQ(answer("/docs/").body, "<overview>");
  EXPECT_EQ(answer("/docs/guide/").body, "<guide>");
  for (const std::string path : {"/docs", "/docs/guide"}) {
    const auto moved = answer(path);
    EXPECT_EQ(moved.status, 302U);
    EXPECT_EQ(header(moved, "location"), "/svc" + path + "/");
  }
}

TEST_F(DocsFilesTest, WhatIsMissingIsAPageForBrowsersAndAnErrorForPrograms) {
  const auto page = answer("/docs/guide/gone.html", {{"Accept", "text/html,*/*;q=0.8"}});
  EXPECT_EQ(page.status, 404U);
  EXPECT_EQ(page.body, "<base href=\"/svc/\"><missing>");
  const auto error = answer("/docs/gone.md", {{"Accept", "*/*"}});
  EXPECT_EQ(error.status, 404U);
  EXPECT_THAT(error.body, HasSubstr("/llms.txt lists its pages"));
}

TEST_F(DocsFilesTest, KnownVersionsAreNotSentAgain) {
  const auto first = answer("/docs/");
  EXPECT_EQ(answer("/docs/", {{"If-None-Match", first.headers[0].value}}).status, 304U);
}

TEST_F(DocsFilesTest, PathsDoNotEscape) {
  std::filesystem::create_symlink(directory_ / "secret.txt", directory_ / "docs/link.txt");
  for (const auto* path : {"/docs/../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/link.txt",
                           "/docs//etc/passwd", "/docs/a%00b", "/docs/%zz"}) {
    EXPECT_EQ(answer(path).status, 404U) << path;
  }
}

TEST_F(DocsFilesTest, AServerWithoutThemSaysSo) {
  const auto page = answer("/docs/", {{"Accept", "text/html"}}, "missing");
  EXPECT_EQ(page.status, 404U);
  EXPECT_THAT(page.body, HasSubstr("not installed"));
  EXPECT_EQ(answer("/docs", {}, "missing").status, 404U);
}

TEST_F(DocsFilesTest, AFullQueueIsOverloaded) {
  workers_.full = true;
  EXPECT_EQ(answer("/docs/").status, 503U);
}

}  // namespace
}  // namespace svc::http
