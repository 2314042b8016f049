#include "file_listing.h"

#include <fmt/format.h>

#include "svc/common/limits/files.h"

#include "fixture.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FileListingTest : public FilesTest {
 protected:
  static std::vector<std::string> pathsOf(const Json& entries) {
    std::vector<std::string> out;
    for (const auto& entry : entries.items()) {
      out.push_back(entry["path"].asString());
    }
    return out;
  }
  Json files(Json command, const ListingBounds& costs = {}) const {
    return json(listFiles(bounds_, command.dump(), costs));
  }
  Json below() const { return Json::object().set("path", in().string()); }
};

TEST_F(FileListingTest, ListsFilesOfTheWholeTreeByPath) {
  directory_.write("in/b", "");
  directory_.write("in/a/c", "");
  directory_.write("in/a/d/e", "");
  const auto all = files(below());
  EXPECT_THAT(pathsOf(all["files"]), ElementsAre("a/c", "a/d/e", "b"));
  EXPECT_EQ(all["files"].items()[1]["name"].asString(), "e");
  EXPECT_FALSE(all["truncated"].asBool(true));
}

TEST_F(FileListingTest, LinksAreNamedAndNotFollowed) {
  fs::create_symlink(out(), in() / "directory");
  fs::create_symlink(out() / "secret", in() / "file");
  fs::create_symlink("nowhere", in() / "broken");
  fs::create_symlink("..", in() / "circle");
  EXPECT_THAT(pathsOf(files(below())["files"]), ElementsAre("broken", "file"));
  const auto paths = json(listPaths(
      bounds_, below().set("includeFiles", false).set("includeDirectories", true).dump(), {}));
  EXPECT_THAT(pathsOf(paths["paths"]), ElementsAre("circle", "directory"));
}

TEST_F(FileListingTest, WhatIsNoFileIsNotNamedAsOne) {
  directory_.write("in/file", "");
  ASSERT_EQ(::mkfifo((in() / "fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", in() / "link");
  fs::create_symlink("/dev/null", in() / "device");
  EXPECT_THAT(pathsOf(files(below())["files"]), ElementsAre("file"));
}

TEST_F(FileListingTest, AQueryOrdersByHowWellItMatches) {
  directory_.write("in/main/other.ts", "");
  directory_.write("in/src/main.ts", "");
  directory_.write("in/src/nothing", "");
  EXPECT_THAT(pathsOf(files(below().set("query", "main"))["files"]),
              ElementsAre("src/main.ts", "main/other.ts"));
  const auto paths = json(listPaths(
      bounds_,
      below().set("query", "main").set("includeFiles", true).set("includeDirectories", true).dump(),
      {}))["paths"];
  const auto& best = paths.items().front();
  EXPECT_EQ(best["path"].asString(), "main");
  EXPECT_EQ(best["kind"].asString(), "directory");
  EXPECT_EQ(best["positions"].dump(), "[0,1,2,3]");
  EXPECT_GT(best["score"].asInteger(), 0);
}

TEST_F(FileListingTest, WithoutAQueryNothingIsScored) {
  directory_.write("in/a", "");
  const auto paths = json(listPaths(
      bounds_, below().set("includeFiles", true).set("includeDirectories", true).dump(), {}));
  EXPECT_EQ(paths["paths"].dump(),
            R"([{"kind":"file","name":"a","path":"a","score":0,"positions":[]}])");
}

TEST_F(FileListingTest, MoreThanTheLimitIsTruncated) {
  for (int number = 0; number < 101; ++number) {
    directory_.write(fmt::format("in/{:03}", number), "");
  }
  auto listed = files(below());
  EXPECT_EQ(listed["files"].items().size(), limits::kListingDefault);
  EXPECT_TRUE(listed["truncated"].asBool());
  listed = files(below().set("limit", 101));
  EXPECT_EQ(listed["files"].items().size(), 101U);
  EXPECT_FALSE(listed["truncated"].asBool(true));
  for (const Json& limit : {Json(0), Json(5001), Json("5"), Json(1.5)}) {
    const auto refused = listFiles(bounds_, below().set("limit", limit).dump(), {});
    EXPECT_EQ(code(refused), "invalid_input");
    EXPECT_THAT(refused.error().message,
                ::testing::EndsWith("(limit listing), not " + limit.dump()));
  }
}

TEST_F(FileListingTest, WhatCostsTooMuchEnds) {
  for (int number = 0; number < 10; ++number) {
    directory_.write(fmt::format("in/{}/x", number), "");
  }
  auto listed = files(below(), {.scan = 12});
  EXPECT_TRUE(listed["truncated"].asBool());
  EXPECT_EQ(listed["files"].items().size(), 2U) << "what is near comes first";
  ListingBounds late;
  late.over = [] { return true; };
  listed = files(below(), late);
  EXPECT_TRUE(listed["truncated"].asBool());
  EXPECT_THAT(pathsOf(listed["files"]), IsEmpty());
}

TEST_F(FileListingTest, ADirectoryIsNeeded) {
  directory_.write("in/file", "");
  EXPECT_EQ(
      code(listFiles(bounds_, Json::object().set("path", (in() / "file").string()).dump(), {})),
      "invalid_input");
  EXPECT_EQ(code(listFiles(bounds_, Json::object().set("path", (in() / "no").string()).dump(), {})),
            "not_found");
  EXPECT_EQ(code(listPaths(bounds_, below().dump(), {})), "invalid_input");
}

TEST_F(FileListingTest, NamesThatAreNoTextAreLeftOut) {
  directory_.write(fs::path("in") / "\xff\xfe", "");
  directory_.write("in/ä", "");
  EXPECT_THAT(pathsOf(files(below())["files"]), ElementsAre("ä"));
}

}  // namespace
}  // namespace svc::hostfiles
