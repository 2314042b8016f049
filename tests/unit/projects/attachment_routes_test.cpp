#include "attachment_routes.h"

#include <filesystem>

#include "svc/common/codes.h"

#include "fixture.h"
#include "mocks/recorded_exchange.h"
#include "project_limits.h"

namespace svc::projects {
namespace {

namespace fs = std::filesystem;
using common::Json;
using svc::test::RecordedExchange;

constexpr const char* kUpload = "POST /api/v1/projects/:projectId/attachments";
constexpr const char* kRead = "GET /api/v1/projects/:projectId/attachments/content";
constexpr const char* kCopy = "POST /api/v1/projects/:projectId/attachments/copy";

class AttachmentRoutesTest : public ProjectsFixture {
 protected:
  AttachmentRoutesTest() {
    auto pattern = (fs::temp_directory_path() / "svc-attachment-routes-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    attachments_.emplace(root_ = pattern);
    routes_.emplace(workers_, *registry_, *attachments_);
    EXPECT_TRUE(routes_->attach(server_).ok());
  }
  ~AttachmentRoutesTest() override { fs::remove_all(root_); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, const std::string& project_id,
                                         std::string body = {}, std::string query = {}) {
    http::Request request;
    request.body = std::move(body);
    request.query = std::move(query);
    request.headers = {{"Content-Type", "text/plain"}};
    request.path_parameters = {{"projectId", project_id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }

  fs::path root_;
  svc::test::InlineBulkWorkers workers_;
  svc::test::RecordedRoutes server_;
  std::optional<Attachments> attachments_;
  std::optional<AttachmentRoutes> routes_;
};

TEST_F(AttachmentRoutesTest, AnUploadMayHaveTwentyFiveMegabytes) {
  EXPECT_EQ(server_.routeOf(kUpload).guard, http::Guard::kUpload);
  EXPECT_EQ(server_.routeOf(kUpload).body_limit.get(), kAttachment);
  EXPECT_EQ(server_.routeOf(kRead).guard, http::Guard::kLocal);
  EXPECT_EQ(server_.routeOf(kCopy).guard, http::Guard::kLocal);
}

TEST_F(AttachmentRoutesTest, AnUploadComesBackAsItWas) {
  const auto id = create("a");
  const auto made = send(kUpload, id, "hello", "filename=..%2Fa%20b.txt");
  ASSERT_EQ(made->status(), 201U);
  const auto attachment = made->json()["attachment"];
  EXPECT_EQ(attachment["type"].asString(), "localFile");
  EXPECT_EQ(attachment["name"].asString(), "a b.txt");
  EXPECT_EQ(attachment["mimeType"].asString(), "text/plain");
  EXPECT_EQ(attachment["sizeBytes"].asInteger(), 5);
  const auto read = send(kRead, id, {}, "path=" + attachment["path"].asString());
  EXPECT_EQ(read->status(), 200U);
  EXPECT_EQ(read->answer->body, "hello");
  EXPECT_EQ(read->answer->content_type, "text/plain");
}

TEST_F(AttachmentRoutesTest, ContentNeverBecomesAPage) {
  const auto id = create("a");
  const auto html = send(kUpload, id, "<script>alert(1)</script>", "filename=a.html")->json();
  const auto read = send(kRead, id, {}, "path=" + html["attachment"]["path"].asString());
  std::map<std::string, std::string> headers;
  for (const auto& header : read->answer->headers) {
    headers[header.name] = header.value;
  }
  EXPECT_EQ(headers["x-content-type-options"], "nosniff");
  EXPECT_EQ(headers["content-security-policy"], "sandbox; default-src 'none'");
  EXPECT_EQ(headers["content-disposition"], "attachment");
}

TEST_F(AttachmentRoutesTest, AnImageSaysSo) {
  const auto id = create("a");
  const auto made = send(kUpload, id, "\x89PNG\r\n\x1A\n", "filename=a.png")->json()["attachment"];
  EXPECT_EQ(made["type"].asString(), "localImage");
  EXPECT_EQ(made["mimeType"].asString(), "image/png");
  const auto read = send(kRead, id, {}, "path=" + made["path"].asString());
  EXPECT_EQ(read->answer->content_type, "image/png");
}

TEST_F(AttachmentRoutesTest, ThePersonalProjectHasAttachments) {
  EXPECT_EQ(send(kUpload, std::string(kPersonalProject), "x")->status(), 201U);
}

TEST_F(AttachmentRoutesTest, RefusesWhatIsWrong) {
  const auto id = create("a");
  EXPECT_EQ(send(kUpload, "proj_x", "a")->status(), 404U);
  EXPECT_EQ(send(kUpload, "../..", "a")->status(), 404U);
  EXPECT_EQ(send(kUpload, id, "a", "filename=%FF")->status(), 400U);
  EXPECT_EQ(send(kRead, "proj_x", {}, "path=/x")->status(), 404U);
  EXPECT_EQ(send(kRead, id)->status(), 400U);
  EXPECT_EQ(send(kRead, id, {}, "path=/etc/passwd")->status(), 404U);
  EXPECT_EQ(send(kRead, id, {}, "path=%00")->status(), 404U);
}

TEST_F(AttachmentRoutesTest, AProjectThatWentMeanwhileKeepsNothing) {
  const auto id = create("a");
  // The worker finds it gone: as if it was deleted between the request and the job.
  struct Late final : IBulkWorkers {
    std::vector<Job> jobs;
    bool submit(Job job) override { return jobs.push_back(std::move(job)), true; }
  } late;
  svc::test::RecordedRoutes server;
  AttachmentRoutes routes(late, *registry_, *attachments_);
  ASSERT_TRUE(routes.attach(server).ok());
  http::Request request;
  request.body = "x";
  request.path_parameters = {{"projectId", id}};
  const auto exchange = std::make_shared<RecordedExchange>(std::move(request));
  server.call(kUpload, exchange);
  ASSERT_TRUE(registry_->remove(id).ok());
  late.jobs.front()({});
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_FALSE(fs::exists(root_ / id));
}

TEST_F(AttachmentRoutesTest, Copies) {
  const auto a = create("a");
  const auto b = create("b");
  const auto path = send(kUpload, a, "x")->json()["attachment"]["path"].asString();
  const auto body = [](const std::string& from, const Json& paths) {
    return Json::object().set("sourceProjectId", from).set("paths", paths).dump();
  };
  const Json one(Json::Array{Json(path)});
  EXPECT_EQ(send(kCopy, b, body(a, one))->answer->body, R"({"ok":true})");
  EXPECT_EQ(send(kCopy, b, body("proj_x", one))->status(), 404U);
  EXPECT_EQ(send(kCopy, "proj_x", body(a, one))->status(), 404U);
  EXPECT_EQ(send(kCopy, a, body(b, one))->status(), 404U);
  EXPECT_EQ(send(kCopy, b, body(a, path))->status(), 400U);
  EXPECT_EQ(send(kCopy, b, "{}")->status(), 400U);
  EXPECT_EQ(send(kCopy, b, body(a, Json(Json::Array(kAttachmentCopies + 1, Json(path)))))->status(),
            400U);
}

TEST_F(AttachmentRoutesTest, NoWorkerIsOverload) {
  const auto id = create("a");
  workers_.full = true;
  EXPECT_EQ(send(kUpload, id, "x")->status(), 503U);
  EXPECT_EQ(send(kRead, id, {}, "path=/x")->status(), 503U);
}

}  // namespace
}  // namespace svc::projects
