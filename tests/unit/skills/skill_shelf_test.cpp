#include "skill_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/builds.h"

#include "fakes/fake_executor.h"
#include "fakes/inline_workers.h"
#include "skill_folders.h"

namespace svc::skills {
namespace {

using svc::test::FakeMainExecutor;
using svc::test::InlineBulkWorkers;
using svc::test::InlineWorkers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StrictMock;

class MockProjectFolders : public IProjectFolders {
 public:
  MOCK_METHOD(void, find,
              (std::string project_id, std::string environment_id, Completion<Place> done),
              (override));
};

/// A machine with one skill in `.agents/skills`, and a folder that cannot be read.
class FarProject final : public IRemoteProject {
 public:
  std::vector<std::string> asked;
  std::optional<Error> failure;

  void skills(const std::vector<std::string>& folders, Completion<common::Json> done) override {
    asked = folders;
    if (failure) {
      done(*failure);
      return;
    }
    done(
        common::Json::parse(
            R"({"folders":[{"folder":".agents/skills","problems":[{"path":"/far/x","message":"no"}],)"
            R"("skills":[{"name":"a","description":"d","directory":"/far/.agents/skills/a","frontMatter":{"name":"a"},)"
            R"("files":[{"path":"SKILL.md","size":5,"digest":"00","executable":false}]}]},)"
            R"({"folder":"elsewhere","skills":[{"name":"b"}],"problems":[]}]})")
            .value());
  }
  void content(const std::filesystem::path& file, Completion<std::string> done) override {
    done("content of " + file.string());
  }
};

class SkillShelfTest : public ::testing::Test {
 protected:
  std::vector<std::string> names(Place place = {}) {
    std::vector<std::string> out;
    shelf_->read(std::move(place), [&out](const Result<CataloguePtr>& found) {
      for (const auto& skill : found.value()->skills) {
        out.push_back(skill.id);
      }
    });
    main_.runAll();
    return out;
  }
  Result<Place> place(const std::string& project) {
    Result<Place> out = Error{errc::kInternal, "not answered"};
    shelf_->place(project, "env", [&out](Result<Place> found) { out = std::move(found); });
    main_.runAll();
    return out;
  }

  SkillFolders folders_;
  FakeMainExecutor main_;
  InlineWorkers workers_;
  InlineBulkWorkers bulk_;
  std::shared_ptr<SkillShelf> shelf_ = std::make_shared<SkillShelf>(
      SkillShelf::Collaborators{main_, workers_, bulk_}, folders_.roots());
};

TEST_F(SkillShelfTest, HasNothingBeforeItHasRead) {
  EXPECT_THAT(shelf_->current()->skills, IsEmpty());
  EXPECT_EQ(shelf_->current()->hash.size(), 64U);
}

TEST_F(SkillShelfTest, ReadsAnewWheneverItIsAsked) {
  EXPECT_THAT(names(), IsEmpty());
  folders_.add("data/skills", "a");
  EXPECT_THAT(names(), ElementsAre("svc-user:a"));
  EXPECT_NE(shelf_->current()->find("svc-user:a"), nullptr);
}

TEST_F(SkillShelfTest, TellsListenersOnlyOfChanges) {
  int changes = 0;
  auto listening = shelf_->onChanged([&changes] { ++changes; });
  folders_.add("data/skills", "a");
  names();
  EXPECT_EQ(changes, 1);
  names();
  EXPECT_EQ(changes, 1);
  folders_.add("data/skills", "a", "another text");
  names();
  EXPECT_EQ(changes, 2);
  folders_.write("data/skills/b/SKILL.md", "no skill");
  names();
  EXPECT_EQ(changes, 3);
  listening.reset();
  folders_.add("data/skills", "c");
  names();
  EXPECT_EQ(changes, 3);
}

TEST_F(SkillShelfTest, WhoAsksDuringAScanGetsTheNextOne) {
  std::vector<std::size_t> seen;
  const auto ask = [&] {
    shelf_->read({}, [&seen](const Result<CataloguePtr>& found) {
      seen.push_back(found.value()->skills.size());
    });
  };
  ask();
  folders_.add("data/skills", "late");
  ask();
  ask();
  main_.runAll();
  EXPECT_THAT(seen, ElementsAre(0U, 1U, 1U));
}

TEST_F(SkillShelfTest, ManyNoticesAreOneScan) {
  folders_.add("data/skills", "a");
  shelf_->refreshSoon();
  shelf_->refreshSoon();
  EXPECT_EQ(main_.pendingTimers(), 1U);
  main_.advance(limits::kDevDebounce);
  main_.runAll();
  EXPECT_EQ(shelf_->current()->skills.size(), 1U);
  shelf_->refreshSoon();
  EXPECT_EQ(main_.pendingTimers(), 1U);
}

TEST_F(SkillShelfTest, AFullLaneIsSaid) {
  bulk_.full = true;
  Errc code = errc::kInternal;
  shelf_->read({}, [&code](const Result<CataloguePtr>& found) { code = found.error().code; });
  main_.runAll();
  EXPECT_EQ(code, errc::kOverloaded);
  bulk_.full = false;
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(SkillShelfTest, AProjectHasSkillsOfItsOwn) {
  folders_.add("project/.svc/skills", "p");
  folders_.add("data/skills", "a");
  EXPECT_THAT(names({folders_.path() / "project"}), ElementsAre("svc-project:p", "svc-user:a"));
  EXPECT_THAT(shelf_->current()->skills, IsEmpty());
}

TEST_F(SkillShelfTest, AProjectOnAnotherMachineHasThoseThatTheMachineNames) {
  folders_.add("data/skills", "a");
  const auto far = std::make_shared<FarProject>();
  CataloguePtr catalogue;
  shelf_->read({.remote = far},
               [&](const Result<CataloguePtr>& found) { catalogue = found.value(); });
  main_.runAll();
  EXPECT_THAT(far->asked, ::testing::Contains(".svc/skills"));
  ASSERT_EQ(catalogue->skills.size(), 2U);
  const auto& skill = catalogue->skills.front();
  EXPECT_EQ(skill.id, "shared-project:a");
  EXPECT_TRUE(skill.offered);
  EXPECT_FALSE(catalogue->skills.back().offered) << "that of the user has a weaker place";
  EXPECT_FALSE(skill.manageable());
  EXPECT_EQ(catalogue->problems.front(), (SkillProblem{"/far/x", "no"}));
  std::string content;
  shelf_->content(skill, "SKILL.md",
                  [&](const Result<std::string>& text) { content = text.value(); });
  EXPECT_EQ(content, "content of /far/.agents/skills/a/SKILL.md");
  Errc code = errc::kInternal;
  shelf_->content(skill, "other",
                  [&](const Result<std::string>& text) { code = text.error().code; });
  EXPECT_EQ(code, errc::kNotFound);
  EXPECT_FALSE(shelf_->tree(skill.tree.digest));
}

TEST_F(SkillShelfTest, AMachineThatCannotBeAskedIsSaid) {
  const auto far = std::make_shared<FarProject>();
  far->failure = Error{errc::kHostUnavailable, "away"};
  Errc code = errc::kInternal;
  shelf_->read({.remote = far},
               [&](const Result<CataloguePtr>& found) { code = found.error().code; });
  main_.runAll();
  EXPECT_EQ(code, errc::kHostUnavailable);
}

TEST_F(SkillShelfTest, ProjectsAreFoundByWhoKeepsThem) {
  EXPECT_FALSE(place("").value().project);
  EXPECT_FALSE(place("proj_personal").value().project);
  EXPECT_EQ(place("proj_1").error().code, errc::kNotFound);
  StrictMock<MockProjectFolders> projects;
  EXPECT_CALL(projects, find("proj_1", "env", ::testing::_))
      .WillOnce([](auto, auto, Completion<Place> done) { done(Place{.project = "/p"}); });
  auto used = shelf_->useProjects(projects);
  EXPECT_EQ(place("proj_1").value().project, "/p");
  used.reset();
  EXPECT_EQ(place("proj_1").error().code, errc::kNotFound);
}

TEST_F(SkillShelfTest, ReadsFilesThatASkillHasAndNoOthers) {
  folders_.add("data/skills", "a", "text");
  folders_.write("data/skills/secret", "s");
  names();
  const auto* const skill = shelf_->current()->find("svc-user:a");
  ASSERT_NE(skill, nullptr);
  const auto content = [&](const std::string& path) {
    Result<std::string> out = Error{errc::kInternal, "not answered"};
    shelf_->content(*skill, path, [&out](Result<std::string> text) { out = std::move(text); });
    return out;
  };
  EXPECT_EQ(content("SKILL.md").value(), SkillFolders::skillText("a", "text"));
  EXPECT_EQ(content("../secret").error().code, errc::kNotFound);
  EXPECT_EQ(content("none").error().code, errc::kNotFound);
  workers_.full = true;
  EXPECT_EQ(content("SKILL.md").error().code, errc::kOverloaded);
}

TEST_F(SkillShelfTest, KnowsTheTreesOfItsCataloguesByDigest) {
  folders_.add("data/skills", "a");
  folders_.add("project/.svc/skills", "p");
  names({folders_.path() / "project"});
  names();
  const auto digest =
      skillfiles::readTree(folders_.path() / "project/.svc/skills/p").value().tree.digest;
  ASSERT_TRUE(shelf_->tree(digest));
  EXPECT_EQ(shelf_->tree(digest)->directory, folders_.path() / "project/.svc/skills/p");
  EXPECT_FALSE(shelf_->tree("none"));
}

TEST_F(SkillShelfTest, SkillsOfPluginsComeAndGo) {
  shelf_->setPlugins({folders_.ofPlugin("one", "x")});
  main_.runAll();
  EXPECT_NE(shelf_->current()->offeredAs("x"), nullptr);
  shelf_->setPlugins({});
  main_.runAll();
  EXPECT_EQ(shelf_->current()->offeredAs("x"), nullptr);
}

}  // namespace
}  // namespace svc::skills
