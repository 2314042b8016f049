#include "skill_folders.h"

#include "svc/common/codes.h"

#include "machine_fixture.h"
#include "mocks/mock_host_registry.h"

namespace svc::projects {
namespace {

class SkillFoldersTest : public MachineFixture {
 protected:
  SkillFoldersTest() {
    const machines::Host own{.id = "host_a", .name = "server", .is_server = true};
    const machines::Host other{.id = "host_b", .name = "other"};
    ON_CALL(hosts_, list).WillByDefault(::testing::Return(std::vector<machines::Host>{own, other}));
    ON_CALL(hosts_, find(std::string_view("host_a")))
        .WillByDefault(::testing::Return(std::optional(own)));
    ON_CALL(hosts_, find(std::string_view("host_b")))
        .WillByDefault(::testing::Return(std::optional(other)));
  }
  Result<skills::Place> find(const std::string& project_id) {
    Result<skills::Place> place = Error{errc::kInternal, "not answered"};
    folders_.find(project_id, {}, [&](Result<skills::Place> found) { place = std::move(found); });
    return place;
  }
  std::string createFar() {
    return registry_->create("far", {"host_b", "/far"}).value()["id"].asString();
  }

  ::testing::NiceMock<machines::MockHostRegistry> hosts_;
  SkillFolders folders_{*registry_, hosts_, machines_};
};

TEST_F(SkillFoldersTest, AreThoseOnTheServersOwnMachine) {
  const auto id = create("shop");
  EXPECT_EQ(find(id).value().project, "/shop");
  EXPECT_FALSE(find(id).value().remote);
  EXPECT_EQ(find("proj_x").error().code, errc::kNotFound);
}

TEST_F(SkillFoldersTest, AProjectElsewhereHasThoseHereWhenItHasAFolderHereToo) {
  const auto id = createFar();
  EXPECT_FALSE(find(id).value().project);
  EXPECT_TRUE(find(id).value().remote);
  addSource(id, "/near");
  EXPECT_EQ(find(id).value().project, "/near");
}

TEST_F(SkillFoldersTest, AnotherMachineIsAskedForThoseItHas) {
  const auto far = find(createFar()).value().remote;
  std::optional<Result<common::Json>> answer_of_machine;
  far->skills({".svc/skills"}, [&](Result<common::Json> found) { answer_of_machine = found; });
  EXPECT_EQ(asked_.at(0).host_id, "host_b");
  EXPECT_EQ(command(0).dump(), R"({"type":"host.skills","path":"/far","folders":[".svc/skills"]})");
  answer(0, std::string(R"({"folders":[]})"));
  EXPECT_EQ(answer_of_machine->value().dump(), R"({"folders":[]})");
}

TEST_F(SkillFoldersTest, FilesOfAnotherMachineComeAsTheyAre) {
  const auto far = find(createFar()).value().remote;
  std::vector<std::string> told;
  const auto ask = [&](std::string said) {
    const auto at = asked_.size();
    far->content("/far/.svc/skills/a/SKILL.md", [&](const Result<std::string>& bytes) {
      told.push_back(bytes ? bytes.value() : std::string(bytes.error().code.name()));
    });
    EXPECT_EQ(
        command(at).dump(),
        R"({"type":"host.read-file","path":"/far/.svc/skills/a/SKILL.md","rootPath":"/far"})");
    answer(at, std::move(said));
  };
  ask(R"({"content":"text","contentEncoding":"utf8"})");
  ask(R"({"content":"AAE=","contentEncoding":"base64"})");
  ask(R"({"content":"?","contentEncoding":"base64"})");
  EXPECT_THAT(told, ::testing::ElementsAre("text", std::string("\0\1", 2), "internal_error"));
}

}  // namespace
}  // namespace svc::projects
