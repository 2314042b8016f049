#include "pick.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::installs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kC(40, 'c');

PackageVersions offered() {
  return {{"1.0.0", "1.10.0", "1.2.0", "2.0.0", "3.0.0-beta.1", "3.0.0-beta.2", "not a version"},
          {{"latest", "2.0.0"}, {"next", "3.0.0-beta.2"}}};
}

std::vector<std::string> picked(std::string_view spec) {
  auto out = pickVersions(offered(), "todo", spec);
  EXPECT_TRUE(out.ok()) << spec;
  return out ? out.value() : std::vector<std::string>{};
}

TEST(PickVersionsTest, NoSpecMeansTheNewestStableVersion) {
  EXPECT_THAT(picked(""), ElementsAre("2.0.0", "1.10.0", "1.2.0", "1.0.0"));
}

TEST(PickVersionsTest, ARangeIsSortedByVersionNotByText) {
  EXPECT_THAT(picked("^1.0.0"), ElementsAre("1.10.0", "1.2.0", "1.0.0"));
}

TEST(PickVersionsTest, ARangeTakesPreReleasesOnlyWhenItNamesOne) {
  EXPECT_THAT(picked(">=2"), ElementsAre("2.0.0"));
  EXPECT_THAT(picked(">=3.0.0-beta.1"), ElementsAre("3.0.0-beta.2", "3.0.0-beta.1"));
  EXPECT_FALSE(pickVersions(offered(), "todo", "^3").ok());
}

TEST(PickVersionsTest, AnExactVersionAndATagAreThatVersion) {
  EXPECT_THAT(picked("1.2.0"), ElementsAre("1.2.0"));
  EXPECT_THAT(picked("3.0.0-beta.1"), ElementsAre("3.0.0-beta.1"));
  EXPECT_THAT(picked("next"), ElementsAre("3.0.0-beta.2"));
}

TEST(PickVersionsTest, SaysWhatTheRegistryDoesNotHave) {
  EXPECT_THAT(pickVersions(offered(), "todo", "4.0.0").error().message, HasSubstr("4.0.0"));
  EXPECT_THAT(pickVersions(offered(), "todo", "canary").error().message, HasSubstr("canary"));
  EXPECT_THAT(pickVersions({{"1.0.0-a"}, {}}, "todo", "").error().message, HasSubstr("stable"));
}

std::vector<RemoteRef> refs() {
  return parseRefs(kA + "\tHEAD\n" + kA + "\trefs/heads/main\n" + kB + "\trefs/heads/feature/x\n" +
                   kB + "\trefs/tags/v1.0.0\n" + kA + "\trefs/tags/v1.2.0\n" + kC +
                   "\trefs/tags/v1.2.0^{}\n" + kC + "\trefs/tags/v2.0.0-rc.1\n" + kB +
                   "\trefs/tags/todo-v1.5.0\n" + kC + "\trefs/tags/todo-1.6.0\n" + "garbage\n");
}

SourceSpec gitSpec(std::string ref) {
  SourceSpec spec;
  spec.kind = SourceKind::kGit;
  spec.ref = std::move(ref);
  return spec;
}

TEST(ParseRefsTest, AnAnnotatedTagIsTheCommitItPointsTo) {
  for (const auto& ref : refs()) {
    if (ref.name == "refs/tags/v1.2.0") {
      EXPECT_EQ(ref.commit, kC);
    }
  }
  EXPECT_EQ(refs().size(), 8U);
}

TEST(PickRefsTest, NoRefIsTheDefaultBranch) {
  const auto out = pickRefs(refs(), gitSpec("")).value().front();
  EXPECT_EQ(out.track, Track::kBranch);
  EXPECT_EQ(out.commit, kA);
}

TEST(PickRefsTest, TellsBranchesTagsAndCommitsApart) {
  EXPECT_EQ(pickRefs(refs(), gitSpec("feature/x")).value().front().track, Track::kBranch);
  EXPECT_EQ(pickRefs(refs(), gitSpec("v1.2.0")).value().front().track, Track::kTag);
  EXPECT_EQ(pickRefs(refs(), gitSpec("v1.2.0")).value().front().commit, kC);
  EXPECT_EQ(pickRefs(refs(), gitSpec(kC)).value().front().track, Track::kCommit);
  EXPECT_THAT(pickRefs(refs(), gitSpec("abc123")).error().message, HasSubstr("40 digits"));
  EXPECT_FALSE(pickRefs({}, gitSpec("")).ok());
}

TEST(PickRefsTest, ARangePicksAmongTheTagsOfItsPrefix) {
  auto spec = gitSpec("");
  spec.semver = true;
  spec.range = "^1";
  auto out = pickRefs(refs(), spec).value();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].name, "v1.2.0");
  EXPECT_EQ(out[0].track, Track::kRange);
  spec.tag_prefix = "todo-";
  out = pickRefs(refs(), spec).value();
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].name, "todo-1.6.0");
  spec.range = "^9";
  EXPECT_THAT(pickRefs(refs(), spec).error().message, HasSubstr("todo-vX.Y.Z"));
}

TEST(PickRefsTest, ARangeOverTagsTakesNoPreReleases) {
  auto spec = gitSpec("");
  spec.semver = true;
  spec.range = ">=1.1";
  const auto out = pickRefs(refs(), spec).value();
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].name, "v1.2.0");
}

}  // namespace
}  // namespace svc::installs
