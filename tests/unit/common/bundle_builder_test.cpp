#include "svc/common/bundle_builder.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

namespace svc::common {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A program of the test stands for the builder: it is run as `<program> <toolchain>/build.mjs serve`.
class BundleBuilderTest : public ::testing::Test {
 protected:
  BundleBuilderTest() {
    std::string name = (fs::temp_directory_path() / "svc-builder-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~BundleBuilderTest() override { fs::remove_all(directory_); }

  [[nodiscard]] BundleBuilder::Options program(const std::string& script) const {
    const auto file = directory_ / "program";
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
    return {.node = file.string(), .toolchain = directory_};
  }
  /// A program that answers every request with these lines; $id is that of the request.
  [[nodiscard]] BundleBuilder::Options answers(const std::string& lines) const {
    return program("id=0\nwhile read -r request; do\nid=$((id + 1))\necho \"$request\" >> " +
                   (directory_ / "requests").string() + "\ncat <<END\n" + lines + "END\ndone\n");
  }
  [[nodiscard]] std::string requests() const {
    std::ifstream in(directory_ / "requests");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] static BuildRequest request() {
    return {.root = "/plugin", .targets = {BuildTarget::kApp, BuildTarget::kHost}, .minify = false};
  }

  fs::path directory_;
};

TEST_F(BundleBuilderTest, ReadsWhatTheBuilderSays) {
  BundleBuilder builder(answers(
      R"({"id":$id,"target":"app","type":"progress","message":"bundling"}
not JSON
{"id":99,"target":"app","type":"error","text":"of another request"}
{"id":$id,"target":"app","type":"warning","text":"large"}
{"id":$id,"target":"app","type":"built","ms":12}
{"id":$id,"target":"host","type":"absent","ms":0}
{"id":$id,"target":"app","type":"wrote","path":"dist/app.js","bytes":7}
{"id":$id,"type":"done","ok":true}
)"));
  std::vector<std::string> steps;
  const auto report =
      builder.build(request(), {}, [&steps](const std::string& step) { steps.push_back(step); });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report.value().failed(), nullptr);
  ASSERT_THAT(report.value().targets, SizeIs(1));
  const auto& app = report.value().targets.at(0);
  EXPECT_EQ(app.target, BuildTarget::kApp);
  EXPECT_EQ(app.took.count(), 12);
  EXPECT_EQ(app.files.at(0).path, "dist/app.js");
  EXPECT_EQ(app.files.at(0).bytes, 7U);
  EXPECT_EQ(app.warnings.at(0).text, "large");
  EXPECT_THAT(steps, ElementsAre("bundling"));
  EXPECT_EQ(requests(),
            "{\"id\":1,\"root\":\"/"
            "plugin\",\"targets\":[\"app\",\"host\"],\"minify\":false,\"foreign\":false}\n");
}

TEST_F(BundleBuilderTest, ItsProcessInheritsNothing) {
  const int open = ::dup(STDIN_FILENO);
  ASSERT_GT(open, STDERR_FILENO);
  BundleBuilder builder(program("read -r request\n[ -e /proc/self/fd/" + std::to_string(open) +
                                " ] || echo '{\"id\":1,\"type\":\"done\",\"ok\":true}'\n"));
  const auto report = builder.build(request(), {});
  ::close(open);
  EXPECT_TRUE(report) << "the descriptor is open there";
}

TEST_F(BundleBuilderTest, KeepsItsProcessForFurtherBuilds) {
  BundleBuilder builder(answers("{\"id\":$id,\"type\":\"done\",\"ok\":true}\n"));
  EXPECT_TRUE(builder.build(request()));
  EXPECT_TRUE(builder.build(request()));
  EXPECT_THAT(requests(), HasSubstr("{\"id\":2,"));
}

TEST_F(BundleBuilderTest, AProcessThatEndedWhileItStoodByIsStartedAgain) {
  const auto mark = (directory_ / "again").string();
  BundleBuilder builder(program("id=1; test -e " + mark + " && id=3; touch " + mark +
                                "\nread -r x\necho \"{\\\"id\\\":$id,\\\"type\\\":\\\"done\\\"}\"\n"
                                "test $id = 1 && exit 0\nread -r x\n"));
  EXPECT_TRUE(builder.build(request()));
  EXPECT_TRUE(builder.build(request()));
}

TEST_F(BundleBuilderTest, ASourceThatEndsItTwiceFails) {
  const auto mark = (directory_ / "again").string();
  BundleBuilder builder(program("test -e " + mark + " || { touch " + mark +
                                "; read -r x; echo '{\"id\":1,\"type\":\"done\"}'; }\n"
                                "read -r x\necho 'heap out of memory' >&2\nexit 134\n"));
  EXPECT_TRUE(builder.build(request()));
  const auto report = builder.build(request());
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("heap out of memory"));
}

TEST_F(BundleBuilderTest, AFailedBuildIsAReport) {
  BundleBuilder builder(answers(
      R"({"id":$id,"target":"app","type":"error","text":"unexpected end","file":"app.tsx","line":3,"column":5,"length":1,"lineText":"  a(1;"}
{"id":$id,"target":"app","type":"failed","ms":3}
{"id":$id,"type":"done","ok":false}
)"));
  const auto report = builder.build(request());
  ASSERT_TRUE(report);
  ASSERT_NE(report.value().failed(), nullptr);
  EXPECT_EQ(failureText(*report.value().failed()), "app.tsx:3:5: unexpected end");
  EXPECT_EQ(codeFrame(report.value().failed()->errors.at(0)),
            "app.tsx:3:5: unexpected end\n  3 |   a(1;\n    |     ^");
}

TEST_F(BundleBuilderTest, SaysThatNodeIsMissing) {
  BundleBuilder builder({.node = (directory_ / "no-node").string(), .toolchain = directory_});
  const auto report = builder.build(request());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, errc::kUnavailable);
  EXPECT_THAT(report.error().message, HasSubstr("Node.js 20 or newer"));
  EXPECT_THAT(report.error().message, HasSubstr("build.node"));
}

TEST_F(BundleBuilderTest, SaysThatNodeIsTooOld) {
  BundleBuilder builder(answers("{\"type\":\"fatal\",\"text\":\"is 18\"}\n"));
  EXPECT_EQ(builder.build(request()).error().message, "is 18");
}

TEST_F(BundleBuilderTest, TellsWhatABrokenBuilderSaidAndStartsAgain) {
  BundleBuilder builder(
      program("test -e " + (directory_ / "again").string() +
              " && { read -r x; echo '{\"id\":2,\"type\":\"done\"}'; read -r x; exit 0; }\n"
              "touch " +
              (directory_ / "again").string() + "\necho 'out of luck' >&2\n"));
  const auto report = builder.build(request());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, errc::kUnavailable);
  EXPECT_THAT(report.error().message, HasSubstr("ended before the build was done"));
  EXPECT_THAT(report.error().message, HasSubstr("out of luck"));
  EXPECT_TRUE(builder.build(request()));
}

TEST_F(BundleBuilderTest, ABuildThatTakesTooLongIsKilled) {
  // The grandchild holds the output open: only ending the whole group lets the test end.
  auto options =
      program("sleep 1000 &\necho $! > " + (directory_ / "pid").string() + "\nread -r x\nwait\n");
  options.limit = std::chrono::milliseconds(200);
  BundleBuilder builder(options);
  const auto report = builder.build(request());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, errc::kTimeout);
  EXPECT_THAT(report.error().message, HasSubstr("limit build"));
}

TEST_F(BundleBuilderTest, ABuildCanBeStopped) {
  BundleBuilder builder(
      program("echo '{\"id\":1,\"target\":\"app\",\"type\":\"progress\",\"message\":\"on\"}'\n"
              "read -r x; read -r y\n"));
  std::stop_source stop;
  const auto report = builder.build(request(), stop.get_token(),
                                    [&stop](const std::string&) { stop.request_stop(); });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, errc::kAborted);
}

TEST(BuildMessageTest, LongLinesAreCutAroundThePlace) {
  const BuildMessage message{.text = "bad",
                             .file = "a.js",
                             .line = 1,
                             .column = 501,
                             .source_line = std::string(500, 'x') + "!" + std::string(500, 'y'),
                             .length = 1};
  const auto frame = codeFrame(message);
  EXPECT_THAT(frame, HasSubstr("xx!yy"));
  EXPECT_LT(frame.size(), 300U);
}

TEST(BuildMessageTest, AMarkBelowTabsStandsRight) {
  const BuildMessage message{
      .text = "bad", .file = "a.js", .line = 10, .column = 2, .source_line = "\tab", .length = 9};
  EXPECT_EQ(codeFrame(message), "a.js:10:2: bad\n  10 | \tab\n     | \t^^");
}

TEST(BuildMessageTest, ManyErrorsAreCounted) {
  TargetReport report;
  for (const auto* text : {"a", "b", "c", "d", "e"}) {
    report.errors.push_back({.text = text});
  }
  EXPECT_EQ(failureText(report), "a; b; c; and 2 more");
}

}  // namespace
}  // namespace svc::common
