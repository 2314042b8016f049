#include "self_update.h"

#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "fake_transport.h"
#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "log_lines.h"
#include "program_package.h"
#include "unit/plugins/temp_directory.h"

namespace svc::serverlink {
namespace {

namespace fs = std::filesystem;
using common::Json;
using svc::test::FakeMainExecutor;
using svc::test::InlineBulkWorkers;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Start = SelfUpdate::Start;

class SelfUpdateTest : public ::testing::Test {
 protected:
  SelfUpdateTest() {
    installProgram(root_);
    fs::create_directories(data_);
    usePackage({{"bin/svc-hostd", programText(2)}, {"lib/svc/libsvc_kernel.so", "k"}});
    EXPECT_EQ(start(root_ / "bin"), Start::kFresh);
  }

  /// A process of the program in `bin`; what begin() says.
  Start start(const fs::path& bin) {
    update_ = std::make_shared<SelfUpdate>(SelfUpdate::With{
        .transport = transport_,
        .main = main_,
        .workers = workers_,
        .installation = Installation(bin),
        .data_directory = data_,
        .arguments = {"--auto-update"},
        .platform = "linux-x64",
        .protocol_version = 1,
        .start_again = [this](const fs::path& executable,
                              const std::string& /*why*/) { started_.push_back(executable); },
        .log = log_.logger});
    return update_->begin();
  }
  /// As systemd does: what the launcher leads to.
  Start startAgain() { return start(fs::canonical(root_ / "bin/svc-hostd").parent_path()); }

  void usePackage(const std::vector<PackedEntry>& entries) {
    const auto file = directory_.path() / "served.tar.gz";
    pack(file, entries);
    package_ = fileText(file);
    sha256_ = sha256Of(package_);
  }
  [[nodiscard]] Json description() const {
    return Json::object()
        .set("version", "0.44.0")
        .set("protocolVersion", 2)
        .set("platform", "linux-x64")
        .set("byteLength", static_cast<std::int64_t>(package_.size()))
        .set("sha256", sha256_)
        .set("retryRequestedAt", retry_requested_ == 0 ? Json() : Json(retry_requested_));
  }
  void offer(std::int64_t server_protocol = 2) {
    update_->offer({.endpoint = {ServerAddress::parse("http://10.0.0.1:4700").value()},
                    .host_key = "svch_key",
                    .server_protocol = server_protocol});
  }
  /// The server answers what it was asked, and sends `sent` as the package.
  void serve(const std::string& sent) {
    transport_.answer(200, description().dump());
    main_.runAll();
    if (transport_.downloads.empty()) {
      return;
    }
    auto download = std::move(transport_.downloads.back());
    transport_.downloads.clear();
    EXPECT_EQ(download.request.path, "/internal/daemon-package/" + sha256_);
    EXPECT_EQ(download.request.bearer, "svch_key");
    EXPECT_EQ(download.limit, package_.size());
    std::ofstream(download.file, std::ios::binary) << sent;
    download.done(Download{sent.size(), sha256Of(sent)});
    main_.runAll();
  }
  void updateOnce() {
    offer();
    serve(package_);
  }
  [[nodiscard]] std::string launched() const { return fileText(root_ / "bin/svc-hostd"); }
  /// The whole installation is as it was.
  void expectUnchanged() const {
    EXPECT_THAT(started_, IsEmpty());
    EXPECT_EQ(launched(), "first");
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(root_ / "lib/svc/updates")) {
      left.push_back(entry.path().filename());
    }
    EXPECT_THAT(left, ElementsAre(".lock"));
    EXPECT_EQ(readUpdateRecord(data_), std::nullopt);
  }

  svc::test::TempDirectory directory_;
  const fs::path root_ = directory_.path() / "opt";
  const fs::path data_ = directory_.path() / "data";
  LogLines log_;
  FakeTransport transport_;
  FakeMainExecutor main_;
  InlineBulkWorkers workers_;
  std::string package_;
  std::string sha256_;
  std::int64_t retry_requested_ = 0;
  std::vector<fs::path> started_;
  std::shared_ptr<SelfUpdate> update_;
};

TEST_F(SelfUpdateTest, TheServersProgramTakesOver) {
  offer();
  ASSERT_THAT(transport_.posts, SizeIs(1));
  EXPECT_EQ(transport_.posts[0].request.path, "/internal/daemon-package");
  EXPECT_EQ(transport_.posts[0].request.bearer, "svch_key");
  EXPECT_EQ(transport_.posts[0].body, R"({"platform":"linux-x64","failure":null})");
  serve(package_);
  EXPECT_THAT(started_, ElementsAre(root_ / "bin/svc-hostd"));
  EXPECT_EQ(launched(), programText(2));
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("updating to svc-hostd 0.44.0")));

  EXPECT_EQ(startAgain(), Start::kResumed);
  EXPECT_TRUE(fs::exists(root_ / "bin/.svc-hostd.previous"));
  update_->connected();
  EXPECT_EQ(readUpdateRecord(data_), std::nullopt);
  EXPECT_FALSE(fs::exists(root_ / "bin/.svc-hostd.previous"));
  EXPECT_EQ(launched(), programText(2));
}

TEST_F(SelfUpdateTest, NeverDowngrades) {
  offer(1);
  offer(0);
  EXPECT_THAT(transport_.posts, IsEmpty());
}

TEST_F(SelfUpdateTest, OneAtATime) {
  offer();
  offer();
  EXPECT_THAT(transport_.posts, SizeIs(1));
  serve(package_);
  offer();
  EXPECT_THAT(transport_.posts, IsEmpty()) << "the next program is about to start";
}

TEST_F(SelfUpdateTest, AWrongDigestChangesNothingAndIsTriedAgain) {
  offer();
  serve(package_ + "x");
  expectUnchanged();
  offer();
  EXPECT_THAT(Json::parse(transport_.posts[0].body).value()["failure"].asString(),
              HasSubstr("is not the package"))
      << "the server hears of it";
  serve("");
  expectUnchanged();
  updateOnce();
  EXPECT_THAT(started_, SizeIs(1));
}

TEST_F(SelfUpdateTest, ALostConnectionChangesNothingAndIsSaidOnce) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    offer();
    transport_.answer(200, description().dump());
    main_.runAll();
    auto download = std::move(transport_.downloads.back());
    transport_.downloads.clear();
    download.done(Error{errc::kUnavailable, "no space left on device"});
    main_.runAll();
    expectUnchanged();
  }
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("updating to"),
                                        AllOf(HasSubstr("stays as it is"), HasSubstr("no space"))));
}

TEST_F(SelfUpdateTest, APackageThatIsNoneIsNotFetchedAgainUntilSomebodyAsks) {
  usePackage({{"../svc-hostd", "escapes"}});
  updateOnce();
  expectUnchanged();
  EXPECT_THAT(log_.lines().back(), HasSubstr("leaves the directory"));
  offer();
  serve(package_);
  EXPECT_THAT(log_.lines(), SizeIs(2)) << "and not said again";
  transport_.downloads.clear();
  retry_requested_ = 1'767'225'600'000;
  offer();
  transport_.answer(200, description().dump());
  main_.runAll();
  EXPECT_THAT(transport_.downloads, SizeIs(1));
}

TEST_F(SelfUpdateTest, AProgramThatDoesNotRunHereIsNotTaken) {
  usePackage({{"bin/svc-hostd", "#!/bin/sh\necho 'no libnode' >&2\nexit 1"}});
  updateOnce();
  expectUnchanged();
  EXPECT_THAT(log_.lines().back(), HasSubstr("no libnode"));
}

TEST_F(SelfUpdateTest, AnotherPackageIsTriedAfterABadOne) {
  usePackage({{"bin/svc-hostd", programText(7)}});
  updateOnce();
  expectUnchanged();
  usePackage({{"bin/svc-hostd", programText(2)}});
  updateOnce();
  EXPECT_THAT(started_, SizeIs(1));
}

TEST_F(SelfUpdateTest, WhatIsNoDescriptionIsRefused) {
  for (const auto& body :
       {std::string("{}"), std::string("<html>"), description().set("sha256", "../../x").dump(),
        description().set("byteLength", std::int64_t{1} << 40).dump(),
        description().set("byteLength", -1).dump(),
        description().set("platform", "linux-arm64").dump(),
        description().set("protocolVersion", 3).dump()}) {
    offer();
    transport_.answer(200, body);
    main_.runAll();
    EXPECT_THAT(transport_.downloads, IsEmpty()) << body;
  }
  offer();
  transport_.answer(404, R"({"ok":false,"error":{"code":"not_found","message":"none here"}})");
  EXPECT_THAT(log_.lines().back(), HasSubstr("none here"));
  EXPECT_THAT(started_, IsEmpty());
}

TEST_F(SelfUpdateTest, WhatCannotBeWrittenIsSaidOnceAndTheServerHearsOfIt) {
  fs::remove_all(root_ / "lib");
  for (int attempt = 0; attempt < 3; ++attempt) {
    offer();
    EXPECT_THAT(Json::parse(transport_.posts[0].body).value()["failure"].asString(),
                HasSubstr("cannot be written"));
    transport_.answer(200, description().dump());
    main_.runAll();
  }
  EXPECT_THAT(transport_.downloads, IsEmpty());
  EXPECT_THAT(log_.lines(), ElementsAre(HasSubstr("update svc there as who has installed it")));
}

TEST_F(SelfUpdateTest, AProgramThatNeverConnectsGivesWayToTheOldOne) {
  updateOnce();
  EXPECT_EQ(startAgain(), Start::kResumed);
  EXPECT_EQ(startAgain(), Start::kFresh);
  EXPECT_EQ(startAgain(), Start::kFresh);
  started_.clear();
  EXPECT_EQ(startAgain(), Start::kGoesBack);
  EXPECT_THAT(started_, ElementsAre(root_ / "bin/svc-hostd"));
  EXPECT_EQ(launched(), "first");

  EXPECT_EQ(startAgain(), Start::kResumed);
  offer();
  EXPECT_THAT(transport_.posts[0].body, HasSubstr("never connected"));
  transport_.answer(200, description().dump());
  main_.runAll();
  EXPECT_THAT(transport_.downloads, IsEmpty()) << "it is not tried again";
  EXPECT_THAT(log_.lines().back(),
              AllOf(HasSubstr("stays as it is"), HasSubstr("never connected")));
  retry_requested_ = 5;
  updateOnce();
  EXPECT_EQ(launched(), programText(2)) << "unless somebody asks for it";
}

TEST_F(SelfUpdateTest, AProgramThatCannotStartGivesWayAtOnce) {
  EXPECT_FALSE(update_->giveWay("not enrolled")) << "it is not new";
  updateOnce();
  EXPECT_EQ(startAgain(), Start::kResumed);
  started_.clear();
  EXPECT_TRUE(update_->giveWay("auth.json is damaged"));
  update_->stop();
  EXPECT_THAT(started_, ElementsAre(root_ / "bin/svc-hostd"));
  EXPECT_EQ(launched(), "first");
  EXPECT_EQ(startAgain(), Start::kResumed);
  EXPECT_FALSE(update_->giveWay("not enrolled"));
}

TEST_F(SelfUpdateTest, StopsOnPurposeAreNoFailures) {
  updateOnce();
  for (int start_count = 0; start_count < 10; ++start_count) {
    EXPECT_NE(startAgain(), Start::kGoesBack);
    update_->stop();
  }
  EXPECT_EQ(launched(), programText(2));
}

TEST_F(SelfUpdateTest, AnInstallationByHandEndsTheStory) {
  updateOnce();
  fs::remove(root_ / "bin/svc-hostd");
  installProgram(root_, "by hand");
  for (int start_count = 0; start_count < 5; ++start_count) {
    EXPECT_EQ(startAgain(), Start::kFresh);
  }
  EXPECT_EQ(readUpdateRecord(data_), std::nullopt);
  EXPECT_EQ(launched(), "by hand");
}

TEST_F(SelfUpdateTest, AStoppedDaemonBeginsNothing) {
  offer();
  update_->stop();
  transport_.answer(200, description().dump());
  main_.runAll();
  EXPECT_THAT(transport_.downloads, IsEmpty());
  offer();
  EXPECT_THAT(transport_.posts, IsEmpty());
  EXPECT_THAT(started_, IsEmpty());
}

TEST_F(SelfUpdateTest, ABusyMachineTriesLater) {
  workers_.full = true;
  offer();
  transport_.answer(200, description().dump());
  main_.runAll();
  EXPECT_THAT(log_.lines().back(), HasSubstr("too busy"));
  workers_.full = false;
  updateOnce();
  EXPECT_THAT(started_, SizeIs(1));
}

}  // namespace
}  // namespace svc::serverlink
