#include "file_commands.h"

#include "svc/common/codes.h"

#include "fakes/fake_clock.h"
#include "fakes/inline_workers.h"
#include "fixture.h"
#include "unit/hostworkers/fake_link.h"

namespace svc::hostfiles {
namespace {

class FileCommandsTest : public FilesTest {
 protected:
  /// Waits for the answer.
  Result<std::string> ask(const std::string& type, const Json& command) {
    std::optional<Result<std::string>> answer;
    {
      svc::test::InlineBulkWorkers workers;
      workers.full = full_;
      FileCommands commands(workers, clock_, bounds_);
      commands.attach(link_);
      link_.handlers.at(type)(command.dump(), [&](Result<std::string> result) { answer = result; });
    }
    return *answer;
  }

  svc::test::FakeClock clock_;
  hostworkers::FakeLink link_;
  bool full_ = false;
};

TEST_F(FileCommandsTest, EveryCommandIsAnswered) {
  json(ask("host.mkdir", confined("d")));
  json(ask("host.write-file", confined("d/a").set("content", "x")));
  EXPECT_EQ(json(ask("host.read-file", confined("d/a")))["content"].asString(), "x");
  EXPECT_EQ(json(ask("host.file-metadata", confined("d/a")))["sizeBytes"].asInteger(), 1);
  EXPECT_EQ(
      json(ask("host.file-range", confined("d/a").set("offset", 0).set("length", 1)))["dataBase64"]
          .asString(),
      "eA==");
  EXPECT_EQ(json(ask("host.list-files", confined(".")))["files"].items().size(), 1U);
  EXPECT_EQ(
      json(ask("host.list-paths",
               confined(".").set("includeFiles", true).set("includeDirectories", true)))["paths"]
          .items()
          .size(),
      2U);
  json(ask("host.move-path", Json::object()
                                 .set("sourcePath", (in() / "d/a").string())
                                 .set("destinationPath", (in() / "b").string())));
  json(ask("host.remove-path", confined("b")));
}

TEST_F(FileCommandsTest, AMachineWithoutRoomSaysSo) {
  full_ = true;
  EXPECT_EQ(ask("host.read-file", confined("a")).error().code, errc::kOverloaded);
}

}  // namespace
}  // namespace svc::hostfiles
