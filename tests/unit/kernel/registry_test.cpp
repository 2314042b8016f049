#include "svc/kernel/registry.h"

#include <gmock/gmock.h>

namespace svc {
namespace {

struct Thing {
  static constexpr ServiceId kId{"test.Thing", 2};
};
struct NewerThing {
  static constexpr ServiceId kId{"test.Thing", 3};
};

TEST(ServiceRegistryTest, FindsWhatWasProvided) {
  ServiceRegistry registry;
  Thing thing;
  ASSERT_TRUE(registry.provide(thing, "one").ok());
  EXPECT_EQ(registry.require<Thing>().value(), &thing);
}

TEST(ServiceRegistryTest, AMissingServiceIsNamed) {
  const ServiceRegistry registry;
  EXPECT_THAT(registry.require<Thing>().error().message, testing::HasSubstr("test.Thing"));
  EXPECT_EQ(registry.optional<Thing>(), nullptr);
}

TEST(ServiceRegistryTest, AnotherMajorVersionIsNotTheSameService) {
  ServiceRegistry registry;
  Thing thing;
  ASSERT_TRUE(registry.provide(thing, "one").ok());
  EXPECT_THAT(registry.require<NewerThing>().error().message,
              testing::HasSubstr("one provides test.Thing version 2, version 3 is needed"));
}

TEST(ServiceRegistryTest, ASecondProviderIsRefused) {
  ServiceRegistry registry;
  Thing first;
  Thing second;
  ASSERT_TRUE(registry.provide(first, "one").ok());
  EXPECT_EQ(registry.provide(second, "two").error().code, errc::kConflict);
}

TEST(ServiceRegistryTest, OnlyTheSelectedProviderCounts) {
  ServiceRegistry registry;
  registry.select("test.Thing", "two");
  Thing first;
  Thing second;
  EXPECT_TRUE(registry.provide(first, "one").ok());
  EXPECT_TRUE(registry.provide(second, "two").ok());
  EXPECT_EQ(registry.require<Thing>().value(), &second);
}

TEST(ServiceRegistryTest, WithdrawRemovesEverythingOfAProvider) {
  ServiceRegistry registry;
  Thing thing;
  ASSERT_TRUE(registry.provide(thing, "one").ok());
  registry.withdraw("one");
  EXPECT_FALSE(registry.require<Thing>().ok());
}

}  // namespace
}  // namespace svc
