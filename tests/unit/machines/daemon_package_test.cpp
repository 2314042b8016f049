#include "daemon_package.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <Poco/SHA2Engine.h>
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>

#include "svc/common/codes.h"

#include "daemon_files.h"
#include "fixture.h"
#include "mocks/recorded_exchange.h"
#include "package_routes.h"
#include "unit/plugins/temp_directory.h"

namespace svc::machines {
namespace {

namespace fs = std::filesystem;
using common::Json;
using svc::test::RecordedExchange;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr auto kDescription =
    R"({"name":"svc-hostd","modules":["serverlink"],"commands":{"join":[],"worker":["hostentry"]}})";

/// An installation with a daemon, and other files beside it.
class Installed {
 public:
  Installed() {
    for (const auto* path :
         {"bin/svcd", "bin/svc-hostd", "lib/svc/libsvc_kernel.so", "lib/svc/modules/serverlink.so",
          "lib/svc/modules/hostentry.so", "lib/svc/modules/http.so", "lib/svc/deps/libnode.so.108",
          "share/svc/nodejs/acorn/acorn.js", "share/svc/runtime/worker.cjs",
          "share/svc/window/index.html"}) {
      directory_.write(path, std::string("content of ") + path);
    }
    directory_.write("lib/svc/programs/svc-hostd.json", kDescription);
    ::chmod((root() / "bin/svc-hostd").c_str(), 0755);
  }
  [[nodiscard]] const fs::path& root() const { return directory_.path(); }
  void write(const std::string& path) { directory_.write(path, "content of " + path); }

 private:
  svc::test::TempDirectory directory_;
};

/// Path to content of everything in a .tar.gz; '*' behind the path of what can be executed.
std::map<std::string, std::string> unpacked(const std::string& bytes) {
  auto* reader = archive_read_new();
  archive_read_support_filter_gzip(reader);
  archive_read_support_format_tar(reader);
  archive_read_open_memory(reader, bytes.data(), bytes.size());
  std::map<std::string, std::string> out;
  for (archive_entry* entry = nullptr; archive_read_next_header(reader, &entry) == ARCHIVE_OK;) {
    std::string text(static_cast<std::size_t>(archive_entry_size(entry)), '\0');
    EXPECT_EQ(archive_read_data(reader, text.data(), text.size()),
              static_cast<la_ssize_t>(text.size()));
    const bool executable = (archive_entry_perm(entry) & 0111U) != 0;
    out[archive_entry_pathname(entry) + std::string(executable ? "*" : "")] = text;
  }
  archive_read_free(reader);
  return out;
}

std::string sha256Of(const std::string& text) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(text);
  return Poco::DigestEngine::digestToHex(engine.digest());
}

class DaemonPackageTest : public MachinesFixture {
 protected:
  DaemonPackageTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> call(const std::string& route, http::Request request) {
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> describe(
      const std::string& body = R"({"platform":"linux-x64","failure":null})") {
    http::Request request;
    request.method = "POST";
    request.body = body;
    request.headers = {{"authorization", "Bearer " + key_}, {"content-type", "application/json"}};
    return call("POST /internal/daemon-package", std::move(request));
  }
  std::shared_ptr<RecordedExchange> download(const std::string& sha256) {
    http::Request request;
    request.path_parameters = {{"sha256", sha256}};
    request.headers = {{"authorization", "Bearer " + key_}};
    return call("GET /internal/daemon-package/:sha256", std::move(request));
  }

  Installed installed_;
  svc::test::TempDirectory data_;
  svc::test::RecordedRoutes server_;
  const Enrolled host_ = enrolled();
  std::string key_ = host_.host_key;
  svc::test::InlineBulkWorkers bulk_;
  DaemonPackage package_{installed_.root(), data_.path(), "linux-x64", bulk_, log_};
  PackageRoutes routes_{workers_, *registry_, package_, "0.43.0"};
};

TEST_F(DaemonPackageTest, WhatIsDescribedIsWhatIsSent) {
  const auto described = describe();
  ASSERT_EQ(described->status(), 200U);
  const auto json = described->json();
  EXPECT_EQ(json["version"].asString(), "0.43.0");
  EXPECT_EQ(json["protocolVersion"].asInteger(), 1);
  EXPECT_EQ(json["platform"].asString(), "linux-x64");
  EXPECT_TRUE(json["retryRequestedAt"].isNull());
  const auto sent = download(json["sha256"].asString());
  ASSERT_TRUE(sent->head);
  EXPECT_EQ(sent->head->content_type, "application/gzip");
  EXPECT_TRUE(sent->ended);
  EXPECT_EQ(static_cast<std::int64_t>(sent->written.size()), json["byteLength"].asInteger());
  EXPECT_EQ(sha256Of(sent->written), json["sha256"].asString());
}

TEST_F(DaemonPackageTest, ItHasWhatADaemonNeedsAndNothingElse) {
  const auto files = unpacked(download(describe()->json()["sha256"].asString())->written);
  std::vector<std::string> paths;
  for (const auto& [path, text] : files) {
    paths.push_back(path);
  }
  EXPECT_THAT(paths,
              ElementsAre("bin/svc-hostd*", "lib/svc/deps/libnode.so.108",
                          "lib/svc/libsvc_kernel.so", "lib/svc/modules/hostentry.so",
                          "lib/svc/modules/serverlink.so", "lib/svc/programs/svc-hostd.json",
                          "share/svc/nodejs/acorn/acorn.js", "share/svc/runtime/worker.cjs"));
  EXPECT_EQ(files.at("bin/svc-hostd*"), "content of bin/svc-hostd");
}

TEST_F(DaemonPackageTest, WhatRunsJavaScriptComesAlongAsAWhole) {
  for (const auto* path : {"lib/svc/programs/svc-hostd.so", "lib/svc/programs/svcd.so",
                           "lib/svc/start.so", "libexec/svc-runtime"}) {
    installed_.write(path);
  }
  const auto files = daemonFiles(installed_.root());
  ASSERT_TRUE(files.ok());
  std::vector<std::string> paths;
  for (const auto& file : files.value()) {
    paths.push_back(file.path);
  }
  EXPECT_THAT(paths, IsSupersetOf({"lib/svc/programs/svc-hostd.so", "lib/svc/start.so",
                                   "libexec/svc-runtime"}));
  EXPECT_THAT(paths, Not(Contains("lib/svc/programs/svcd.so")));
  fs::remove(installed_.root() / "libexec/svc-runtime");
  const auto none = daemonFiles(installed_.root());
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("libexec/svc-runtime"));
}

TEST_F(DaemonPackageTest, TheSameFilesAreTheSamePackageAndNoFileStays) {
  const auto first = describe()->json()["sha256"].asString();
  DaemonPackage again(installed_.root(), data_.path(), "linux-x64", bulk_, log_);
  std::string second;
  again.get([&](const Result<PackedDaemonPtr>& packed) { second = packed.value()->sha256(); });
  EXPECT_EQ(second, first);
  EXPECT_TRUE(fs::is_empty(data_.path()));
}

TEST_F(DaemonPackageTest, ItIsPackedOnce) {
  const auto digest = describe()->json()["sha256"].asString();
  std::ofstream(installed_.root() / "bin/svc-hostd") << "replaced on the disk meanwhile";
  EXPECT_EQ(describe()->json()["sha256"].asString(), digest);
  EXPECT_TRUE(download(digest)->ended);
}

TEST_F(DaemonPackageTest, OnlyHostsGetIt) {
  for (const char* key : {"", "svch_wrong", "svce_code"}) {
    key_ = key;
    EXPECT_EQ(describe()->status(), 401U) << key;
    EXPECT_EQ(download("x")->status(), 401U) << key;
  }
}

TEST_F(DaemonPackageTest, TheQuestionIsStrict) {
  for (const auto& body :
       {std::string("{}"), std::string(R"({"platform":1})"),
        std::string(R"({"platform":"linux-x64","failure":1})"),
        std::string(R"({"platform":"linux-x64","more":1})"),
        R"({"platform":"linux-x64","failure":")" + std::string(4097, 'x') + "\"}"}) {
    EXPECT_EQ(describe(body)->errorCode(), "invalid_input") << body;
  }
  EXPECT_EQ(describe("{")->errorCode(), "invalid_json");
}

TEST_F(DaemonPackageTest, AnotherPlatformGetsNone) {
  const auto refused = describe(R"({"platform":"linux-arm64","failure":null})");
  EXPECT_EQ(refused->status(), 404U);
  EXPECT_THAT(refused->json()["error"]["message"].asString(),
              HasSubstr("is for linux-x64, not for linux-arm64"));
  EXPECT_FALSE(package_.availableFor("").ok());
}

TEST_F(DaemonPackageTest, AnInstallationWithoutADaemonSaysSo) {
  for (const auto* missing :
       {"lib/svc/modules/hostentry.so", "bin/svc-hostd", "lib/svc/programs/svc-hostd.json"}) {
    fs::remove(installed_.root() / missing);
    const DaemonPackage none(installed_.root(), data_.path(), "linux-x64", bulk_, log_);
    const auto status = none.availableFor("linux-x64");
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, errc::kNotFound);
    EXPECT_THAT(status.error().message, HasSubstr(missing));
  }
}

TEST_F(DaemonPackageTest, AnotherDigestIsNotFound) {
  EXPECT_EQ(download(std::string(64, 'a'))->status(), 404U);
  EXPECT_EQ(download("../../etc/passwd")->status(), 404U);
}

TEST_F(DaemonPackageTest, AFailureToPackIsTriedAgain) {
  fs::remove_all(data_.path());
  EXPECT_EQ(describe()->status(), common::httpStatus(errc::kUnavailable));
  fs::create_directories(data_.path());
  EXPECT_EQ(describe()->status(), 200U);
}

TEST_F(DaemonPackageTest, ABusyServerRefusesAndRecovers) {
  bulk_.full = true;
  EXPECT_EQ(describe()->errorCode(), "overloaded");
  bulk_.full = false;
  const auto digest = describe()->json()["sha256"].asString();
  workers_.full = true;
  EXPECT_TRUE(download(digest)->aborted) << "what is not whole must not look as if it were";
}

TEST_F(DaemonPackageTest, FailuresOfDaemonsAreShownAndRequestsForAnotherTryReachThem) {
  EXPECT_TRUE(registry_->rejectedProtocol(host_.host_id, 0, "linux-x64"));
  describe(R"({"platform":"linux-x64","failure":"disk full"})");
  EXPECT_THAT(record(host_.host_id)["stateMessage"].asString(), HasSubstr("disk full"));
  EXPECT_TRUE(registry_->retryUpdate(host_.host_id).ok());
  EXPECT_EQ(describe()->json()["retryRequestedAt"].asInteger(), clock_.nowMs());
}

}  // namespace
}  // namespace svc::machines
