#include "project_registry.h"

#include "svc/common/codes.h"
#include "svc/common/sort_key.h"

#include "fixture.h"

namespace svc::projects {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using ProjectRegistryTest = ProjectsFixture;

TEST_F(ProjectRegistryTest, ThePersonalProjectIsThereFromTheFirstStart) {
  EXPECT_THAT(names(), ElementsAre("Personal"));
  const auto record = registry_->record(kPersonalProject).value();
  EXPECT_EQ(record["kind"].asString(), "personal");
  EXPECT_THAT(record["sources"].items(), IsEmpty());
  const auto stored = store_.project_rows;
  restart();
  EXPECT_EQ(store_.project_rows, stored);
  EXPECT_THAT(registry_->records(/*with_personal=*/false).items(), IsEmpty());
}

TEST_F(ProjectRegistryTest, ThePersonalProjectCannotBeChanged) {
  const std::string id(kPersonalProject);
  create("a");
  announced_.clear();
  for (const auto& refused :
       {registry_->rename(id, "Mine").error(), registry_->remove(id).error(),
        registry_->addSource(id, {"host_a", "/x"}).error(),
        registry_->editSource(id, "src_x", {}).error(),
        registry_->removeSource(id, "src_x").error(), registry_->reorder(id, {}, {}).error(),
        registry_->checkChangeable(id).error()}) {
    EXPECT_EQ(refused.code, errc::kConflict) << refused.message;
  }
  EXPECT_THAT(announced_, IsEmpty());
  EXPECT_THAT(names(), ElementsAre("Personal", "a"));
}

TEST_F(ProjectRegistryTest, AProjectIsCreatedWithItsDefaultSource) {
  const auto record = registry_->create("shop", {"host_a", "/srv/shop"}).value();
  const auto id = record["id"].asString();
  EXPECT_THAT(id, ::testing::MatchesRegex("proj_[0-9a-z]{26}"));
  EXPECT_EQ(record["kind"].asString(), "standard");
  EXPECT_TRUE(record["gitRemoteUrl"].isNull());
  EXPECT_EQ(record["createdAt"].asInteger(), clock_.nowMs());
  const auto& source = record["sources"].items().at(0);
  EXPECT_EQ(source["projectId"].asString(), id);
  EXPECT_EQ(source["type"].asString(), "local_path");
  EXPECT_EQ(source["path"].asString(), "/srv/shop");
  EXPECT_TRUE(source["isDefault"].asBool());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "project-created")));
  restart();
  EXPECT_EQ(registry_->record(id).value().dump(), record.dump());
}

TEST_F(ProjectRegistryTest, NewOnesComeLast) {
  create("b");
  create("a");
  create("c");
  EXPECT_THAT(names(), ElementsAre("Personal", "b", "a", "c"));
  restart();
  EXPECT_THAT(names(), ElementsAre("Personal", "b", "a", "c"));
}

TEST_F(ProjectRegistryTest, AFolderOfAMachineBelongsToOneSource) {
  const auto id = create("a");
  const auto other = create("b");
  const auto source = addSource(other, "/c");
  for (const auto& refused : {registry_->create("c", {"host_a", "/a"}).error(),
                              registry_->addSource(id, {"host_a", "/a"}).error(),
                              registry_->addSource(other, {"host_a", "/a"}).error(),
                              registry_->editSource(other, source, {.path = "/a"}).error()}) {
    EXPECT_EQ(refused.code, errc::kConflict);
    EXPECT_THAT(refused.message, HasSubstr("\"a\" (" + id + ")"));
  }
  EXPECT_TRUE(registry_->create("c", {"host_b", "/a"}).ok());
  EXPECT_TRUE(registry_->editSource(other, source, {.path = "/c"}).ok());
}

TEST_F(ProjectRegistryTest, UnknownOnesAreNotFound) {
  const auto id = create("a");
  for (const auto& refused :
       {registry_->record("proj_x").error(), registry_->rename("proj_x", "b").error(),
        registry_->remove("proj_x").error(), registry_->reorder("proj_x", {}, {}).error(),
        registry_->addSource("proj_x", {"host_a", "/x"}).error(),
        registry_->editSource("proj_x", "src_x", {}).error(),
        registry_->editSource(id, "src_x", {}).error(),
        registry_->removeSource(id, "src_x").error(), registry_->source(id, "src_x").error(),
        registry_->source("proj_x", "src_x").error()}) {
    EXPECT_EQ(refused.code, errc::kNotFound);
    EXPECT_THAT(refused.message, HasSubstr("svc project"));
  }
  EXPECT_TRUE(registry_->noteGitRemote("proj_x", "url").ok());
}

TEST_F(ProjectRegistryTest, RenamesAndSaysSoOnce) {
  const auto id = create("a");
  announced_.clear();
  clock_.advance(std::chrono::milliseconds(7));
  const auto renamed = registry_->rename(id, "b").value();
  EXPECT_EQ(renamed["name"].asString(), "b");
  EXPECT_EQ(renamed["updatedAt"].asInteger(), clock_.nowMs());
  EXPECT_TRUE(registry_->rename(id, "b").ok());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "project-updated")));
  restart();
  EXPECT_THAT(names(), ElementsAre("Personal", "b"));
}

TEST_F(ProjectRegistryTest, RemovingTellsWhoListens) {
  const auto id = create("a");
  std::vector<std::string> removed;
  auto listening = registry_->onRemoved([&](const std::string& gone) { removed.push_back(gone); });
  ASSERT_TRUE(registry_->remove(id).ok());
  EXPECT_THAT(removed, ElementsAre(id));
  EXPECT_EQ(announced_.back(), std::pair(id, std::string("project-deleted")));
  EXPECT_FALSE(registry_->find(id));
  EXPECT_THAT(store_.source_rows, IsEmpty());
  EXPECT_TRUE(registry_->create("again", {"host_a", "/a"}).ok());
  listening.reset();
  ASSERT_TRUE(registry_->remove(registry_->list().back().id).ok());
  EXPECT_EQ(removed.size(), 1U);
}

TEST_F(ProjectRegistryTest, ReordersBetweenNeighbours) {
  const auto a = create("a");
  const auto b = create("b");
  const auto c = create("c");
  announced_.clear();
  const auto list = registry_->reorder(c, {}, a).value();
  EXPECT_EQ(list.items().at(0)["id"].asString(), c);
  EXPECT_THAT(names(), ElementsAre("Personal", "c", "a", "b"));
  EXPECT_THAT(announced_, ElementsAre(Pair("", "project-order-changed")));
  ASSERT_TRUE(registry_->reorder(c, b, {}).ok());
  EXPECT_THAT(names(), ElementsAre("Personal", "a", "b", "c"));
  ASSERT_TRUE(registry_->reorder(a, b, c).ok());
  restart();
  EXPECT_THAT(names(), ElementsAre("Personal", "b", "a", "c"));
}

TEST_F(ProjectRegistryTest, RefusesPlacesBetweenOthersThanNeighbours) {
  const auto a = create("a");
  const auto b = create("b");
  const auto c = create("c");
  const std::string personal(kPersonalProject);
  using Id = std::optional<std::string>;
  for (const auto& [previous, next] : {std::pair<Id, Id>{a, {}},
                                       {{}, b},
                                       {b, a},
                                       {{}, {}},
                                       {"proj_x", a},
                                       {a, c},
                                       {personal, a}}) {
    EXPECT_EQ(registry_->reorder(c, previous, next).error().code, errc::kConflict);
  }
  EXPECT_THAT(names(), ElementsAre("Personal", "a", "b", "c"));
}

TEST_F(ProjectRegistryTest, KeysStayShortHoweverOftenPeopleReorder) {
  auto first = create("a");
  auto second = create("b");
  auto third = create("c");
  for (int turn = 0; turn < 400; ++turn) {
    // The last one goes between the first two.
    ASSERT_TRUE(registry_->reorder(third, first, second).ok());
    std::swap(second, third);
  }
  for (const auto& [id, row] : store_.project_rows) {
    EXPECT_LE(row.sort_key.size(), common::kSortKeyLength);
  }
  restart();
  EXPECT_THAT(names(), ElementsAre("Personal", "a", "b", "c"));
}

TEST_F(ProjectRegistryTest, OneSourceIsTheDefault) {
  const auto id = create("a");
  const auto second = addSource(id, "/b");
  announced_.clear();
  EXPECT_THAT(paths(id), ElementsAre("/a*", "/b"));
  EXPECT_TRUE(
      registry_->editSource(id, second, {.make_default = true}).value()["isDefault"].asBool());
  EXPECT_THAT(paths(id), ElementsAre("/a", "/b*"));
  EXPECT_TRUE(registry_->editSource(id, second, {.make_default = true}).ok());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "project-sources-changed")));
  restart();
  EXPECT_THAT(paths(id), ElementsAre("/a", "/b*"));
  ASSERT_TRUE(registry_->removeSource(id, second).ok());
  EXPECT_THAT(paths(id), ElementsAre("/a*"));
  restart();
  EXPECT_THAT(paths(id), ElementsAre("/a*"));
}

TEST_F(ProjectRegistryTest, TheLastSourceStays) {
  const auto id = create("a");
  const auto only = registry_->find(id)->sources.front().id;
  EXPECT_EQ(registry_->removeSource(id, only).error().code, errc::kConflict);
  addSource(id, "/b");
  ASSERT_TRUE(registry_->removeSource(id, only).ok());
  EXPECT_THAT(paths(id), ElementsAre("/b*"));
}

TEST_F(ProjectRegistryTest, ASourceMovesToAnotherFolder) {
  const auto id = create("a");
  const auto source = registry_->find(id)->sources.front().id;
  clock_.advance(std::chrono::milliseconds(5));
  const auto edited = registry_->editSource(id, source, {.path = "/elsewhere"}).value();
  EXPECT_EQ(edited["updatedAt"].asInteger(), clock_.nowMs());
  EXPECT_THAT(paths(id), ElementsAre("/elsewhere*"));
  EXPECT_TRUE(registry_->create("b", {"host_a", "/a"}).ok());
}

TEST_F(ProjectRegistryTest, RemembersTheRemoteOfItsRepository) {
  const auto id = create("a");
  announced_.clear();
  ASSERT_TRUE(registry_->noteGitRemote(id, "git@example.org:a.git").ok());
  ASSERT_TRUE(registry_->noteGitRemote(id, "git@example.org:a.git").ok());
  EXPECT_THAT(announced_, ElementsAre(Pair(id, "project-updated")));
  restart();
  EXPECT_EQ(registry_->record(id).value()["gitRemoteUrl"].asString(), "git@example.org:a.git");
}

TEST_F(ProjectRegistryTest, WhatIsNotStoredDidNotHappen) {
  const auto a = create("a");
  const auto b = create("b");
  const auto source = addSource(a, "/c");
  const auto before = registry_->records(/*with_personal=*/true).dump();
  announced_.clear();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  for (const auto& failed :
       {registry_->create("c", {"host_a", "/d"}).error(), registry_->rename(a, "c").error(),
        registry_->remove(a).error(), registry_->reorder(b, {}, a).error(),
        registry_->addSource(a, {"host_a", "/d"}).error(),
        registry_->editSource(a, source, {.path = "/d"}).error(),
        registry_->removeSource(a, source).error(), registry_->noteGitRemote(a, "u").error()}) {
    EXPECT_EQ(failed.code, errc::kUnavailable);
  }
  EXPECT_EQ(registry_->records(/*with_personal=*/true).dump(), before);
  EXPECT_THAT(announced_, IsEmpty());
}

TEST(ProjectRegistryOpenTest, FailsWhenTheStoreCannotBeRead) {
  class Broken final : public storage::IProjectStore {
   public:
    Result<std::vector<storage::ProjectRow>> projects() override {
      return std::vector<storage::ProjectRow>();
    }
    Result<std::vector<storage::ProjectSourceRow>> sources() override {
      return Error{errc::kUnavailable, "damaged"};
    }
    Status apply(const storage::ProjectChange&) override { return {}; }
  };
  Broken store;
  svc::test::FakeClock clock;
  ProjectRegistry registry(store, clock, [](const std::string&, const char*) {});
  EXPECT_EQ(registry.open().error().message, "damaged");
}

}  // namespace
}  // namespace svc::projects
