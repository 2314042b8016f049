#include "places.h"

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::hostfiles {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReachTest : public FilesTest {
 protected:
  std::string object(const std::string& path) const { return codeOf(rooted().object(path)); }
  std::string place(const std::string& path) const { return codeOf(rooted().place(path)); }
  Reach rooted() const { return Reach::of(bounds_, in().string()).value(); }
  template <class T>
  static std::string codeOf(const Result<T>& result) {
    return result ? result.value().path.string() : std::string(result.error().code.name());
  }
};

TEST_F(ReachTest, PathsAreAbsoluteOrBelowTheRoot) {
  directory_.write("in/a/b", "x");
  EXPECT_EQ(object("a/b"), in() / "a/b");
  EXPECT_EQ(object((in() / "a/b").string()), in() / "a/b");
  EXPECT_EQ(object("~/a"), in() / "a");
  EXPECT_EQ(object("."), in());
  EXPECT_EQ(object("a/../a/./b"), in() / "a/b");
  const auto free = Reach::of(bounds_, std::nullopt).value();
  EXPECT_EQ(codeOf(free.object("a/b")), "invalid_input");
  EXPECT_EQ(codeOf(free.object("~")), in());
  for (const auto& bad : {std::string(), std::string("a\0b", 3)}) {
    EXPECT_EQ(object(bad), "invalid_input");
  }
}

TEST_F(ReachTest, NothingOutsideOfTheRootIsReached) {
  fs::create_symlink(out(), in() / "link");
  fs::create_symlink("../out", in() / "relative");
  fs::create_symlink("/proc/self/root", in() / "magic");
  const auto secret = (out() / "secret").string();
  for (const auto& path : {std::string("../out/secret"), secret, std::string("link/secret"),
                           std::string("relative/secret"), std::string("link"), "magic" + secret,
                           std::string("/"), std::string("..")}) {
    EXPECT_EQ(object(path), "forbidden") << path;
  }
  for (const auto& path : {std::string("../new"), (out() / "new").string(), std::string("link/new"),
                           std::string("../in")}) {
    EXPECT_EQ(place(path), "forbidden") << path;
  }
}

TEST_F(ReachTest, WhatIsOutsideIsNotToldFromWhatIsNotThere) {
  fs::create_symlink(out(), in() / "link");
  fs::create_symlink(out() / "nothing", in() / "broken");
  fs::create_symlink("broken", in() / "chain");
  const auto nothing = (out() / "nothing").string();
  for (const auto& path :
       {std::string("../out/nothing"), nothing, nothing + "/deeper/still",
        std::string("../nothing"), (out() / "secret/below-a-file").string(),
        std::string("link/nothing"), std::string("link/nothing/deeper"), std::string("broken"),
        std::string("chain"), std::string("/nothing/at/all")}) {
    EXPECT_EQ(object(path), "forbidden") << path;
    EXPECT_EQ(place(path + "/x"), "forbidden") << path;
  }
  EXPECT_EQ(object("nothing/inside"), "not_found");
  fs::create_symlink("nothing", in() / "inside");
  EXPECT_EQ(object("inside"), "not_found");
  fs::create_symlink("loop", in() / "loop");
  EXPECT_THAT(object("loop"), ::testing::AnyOf("invalid_input", "forbidden"));
  bounds_.roots = {in().string()};
  for (const auto& root : {out().string(), nothing, std::string("/nothing")}) {
    EXPECT_EQ(Reach::of(bounds_, root).error().code, errc::kForbidden) << root;
  }
  EXPECT_EQ(Reach::of(bounds_, (in() / "nothing").string()).error().code, errc::kNotFound);
}

TEST_F(ReachTest, ARootThatOnlyBeginsLikeItIsAnother) {
  directory_.write("inside/x", "x");
  EXPECT_EQ(object("../inside/x"), "forbidden");
}

TEST_F(ReachTest, LinksThatStayInsideAreFollowed) {
  directory_.write("in/a/b", "x");
  fs::create_symlink(in() / "a", in() / "absolute");
  fs::create_symlink("a", in() / "relative");
  EXPECT_EQ(object("absolute/b"), in() / "a/b");
  EXPECT_EQ(object("relative/b"), in() / "a/b");
  fs::create_directory_symlink(in(), directory_.path() / "alias");
  const auto reach = Reach::of(bounds_, (directory_.path() / "alias").string());
  ASSERT_TRUE(reach.ok());
  EXPECT_EQ(codeOf(reach.value().object("a/b")), in() / "a/b");
}

TEST_F(ReachTest, DirectoriesAreMadeInsideOnly) {
  fs::create_symlink(out(), in() / "link");
  const auto reach = rooted();
  EXPECT_TRUE(reach.makeDirectories("x/y/z/").ok());
  EXPECT_TRUE(reach.makeDirectories("x/y/z").ok());
  EXPECT_TRUE(fs::is_directory(in() / "x/y/z"));
  for (const auto* path : {"../new", "link/new", "x/none/../../../out/new", "../out/a/b"}) {
    EXPECT_FALSE(reach.makeDirectories(path).ok()) << path;
  }
  EXPECT_FALSE(fs::exists(out() / "new"));
  EXPECT_FALSE(fs::exists(out() / "a"));
  EXPECT_FALSE(fs::exists(directory_.path() / "new"));
}

TEST_F(ReachTest, TheMachinesRootsBoundEveryCommand) {
  bounds_.roots = {in().string(), "/nonexistent"};
  directory_.write("in/a", "x");
  const auto free = Reach::of(bounds_, std::nullopt).value();
  EXPECT_EQ(codeOf(free.object((in() / "a").string())), in() / "a");
  EXPECT_EQ(codeOf(free.object((out() / "secret").string())), "forbidden");
  EXPECT_EQ(Reach::of(bounds_, out().string()).error().code, errc::kForbidden);
  bounds_.roots = {"/nonexistent"};
  EXPECT_EQ(codeOf(Reach::of(bounds_, std::nullopt).value().object(in().string())), "forbidden")
      << "a root that is not there opens nothing";
}

TEST_F(ReachTest, WhatHasNoNameIsNoPlace) {
  for (const auto* path : {"/", "a/..", ".", "a/."}) {
    EXPECT_THAT(place(path), ::testing::AnyOf("invalid_input", "forbidden", "not_found")) << path;
  }
  EXPECT_EQ(place("missing/name"), "not_found");
  EXPECT_EQ(place("name///"), in() / "name");
}

TEST_F(ReachTest, WhatIsMissingIsNamed) {
  const auto missing = rooted().object("nothing");
  EXPECT_EQ(missing.error().code, errc::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr((in() / "nothing").string()));
}

}  // namespace
}  // namespace svc::hostfiles
