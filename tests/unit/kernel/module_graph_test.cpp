#include "module_graph.h"

#include <gmock/gmock.h>

namespace svc::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ServiceId kA{"a", 1};
constexpr ServiceId kB{"b", 1};

struct FakeModule {
  std::vector<ServiceId> provides;
  std::vector<Requirement> required;
  ModuleDescriptor descriptor;

  FakeModule(const char* name, std::vector<ServiceId> provided, std::vector<Requirement> needs)
      : provides(std::move(provided)), required(std::move(needs)) {
    descriptor.name = name;
    descriptor.version = "1";
    descriptor.provides = provides;
    descriptor.required = required;
  }
};

std::vector<std::string> names(const ModuleGraph& graph) {
  std::vector<std::string> out;
  for (const auto* module : graph.order) {
    out.emplace_back(module->name);
  }
  return out;
}

TEST(ModuleGraphTest, PutsProvidersBeforeTheirUsers) {
  const FakeModule user("user", {kB}, {kA});
  const FakeModule last("last", {}, {kB});
  const FakeModule provider("provider", {kA}, {});
  const auto graph = resolveModules({&last.descriptor, &user.descriptor, &provider.descriptor}, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_THAT(names(graph.value()), ElementsAre("provider", "user", "last"));
  EXPECT_EQ(requirementChain(graph.value(), "provider"),
            "provider is required by user, user is required by last");
}

TEST(ModuleGraphTest, NamesWhoMissesWhat) {
  const FakeModule user("user", {}, {kA});
  const auto graph = resolveModules({&user.descriptor}, {});
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, kMissingDependency);
  EXPECT_THAT(graph.error().message, HasSubstr("user requires a (version 1)"));
}

TEST(ModuleGraphTest, ReportsAnAbsentOptionalRequirement) {
  const FakeModule user("user", {}, {Requirement{kA, true}});
  const auto graph = resolveModules({&user.descriptor}, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_THAT(graph.value().absent, ElementsAre("user: a"));
}

TEST(ModuleGraphTest, NamesTheModulesOfACycle) {
  const FakeModule one("one", {kA}, {kB});
  const FakeModule two("two", {kB}, {kA});
  const auto graph = resolveModules({&one.descriptor, &two.descriptor}, {});
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, kDependencyCycle);
  EXPECT_THAT(graph.error().message, HasSubstr("one -> two -> one"));
}

TEST(ModuleGraphTest, TwoProvidersNeedAChoice) {
  const FakeModule one("one", {kA}, {});
  const FakeModule two("two", {kA}, {});
  const auto undecided = resolveModules({&one.descriptor, &two.descriptor}, {});
  ASSERT_FALSE(undecided.ok());
  EXPECT_EQ(undecided.error().code, kDuplicateProvider);
  const auto chosen = resolveModules({&one.descriptor, &two.descriptor}, {{"a", "two"}});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen.value().providers.at("a"), "two");
}

TEST(ModuleGraphTest, AChoiceThatNobodyOffersIsAnError) {
  const FakeModule one("one", {kA}, {});
  const auto graph = resolveModules({&one.descriptor}, {{"a", "ghost"}});
  ASSERT_FALSE(graph.ok());
  EXPECT_THAT(graph.error().message, HasSubstr("ghost"));
}

TEST(ModuleGraphTest, AModuleListedTwiceIsAnError) {
  const FakeModule one("one", {}, {});
  const auto graph = resolveModules({&one.descriptor, &one.descriptor}, {});
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, kDuplicateModule);
}

}  // namespace
}  // namespace svc::kernel
