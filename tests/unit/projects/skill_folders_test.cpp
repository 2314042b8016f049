#include "skill_folders.h"

#include "svc/common/codes.h"

#include "fixture.h"
#include "mocks/mock_host_registry.h"

namespace svc::projects {
namespace {

class SkillFoldersTest : public ProjectsFixture {
 protected:
  SkillFoldersTest() {
    const machines::Host own{.id = "host_a", .name = "server", .is_server = true};
    const machines::Host other{.id = "host_b", .name = "other"};
    ON_CALL(machines_, list)
        .WillByDefault(::testing::Return(std::vector<machines::Host>{own, other}));
    ON_CALL(machines_, find(std::string_view("host_a")))
        .WillByDefault(::testing::Return(std::optional(own)));
    ON_CALL(machines_, find(std::string_view("host_b")))
        .WillByDefault(::testing::Return(std::optional(other)));
  }
  std::string find(const std::string& project_id) {
    std::string told;
    folders_.find(project_id, {}, [&](const Result<std::filesystem::path>& found) {
      told = found ? found.value().string() : std::string(found.error().code.name());
    });
    return told;
  }

  ::testing::NiceMock<machines::MockHostRegistry> machines_;
  SkillFolders folders_{*registry_, machines_};
};

TEST_F(SkillFoldersTest, AreThoseOnTheServersOwnMachine) {
  const auto id = create("shop");
  EXPECT_EQ(find(id), "/shop");
  EXPECT_EQ(find("proj_x"), "not_found");
}

TEST_F(SkillFoldersTest, AProjectElsewhereHasThemWhenItHasAFolderHereToo) {
  const auto made = registry_->create("far", {"host_b", "/far"});
  const auto id = made.value()["id"].asString();
  EXPECT_EQ(find(id), "not_supported");
  addSource(id, "/near");
  EXPECT_EQ(find(id), "/near");
}

}  // namespace
}  // namespace svc::projects
