#include "svc/base/tree_changes.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace svc::base {
namespace {

TEST(TreeChangesTest, ChangesOfOnePathBecomeOne) {
  using enum ChangeType;
  const auto outcome = [](std::vector<ChangeType> types) -> std::optional<ChangeType> {
    TreeChanges changes;
    for (const auto type : types) {
      changes.add("x", type);
    }
    return changes.empty() ? std::nullopt : std::optional(changes.paths().at("x"));
  };
  EXPECT_EQ(outcome({kCreate, kUpdate}), kCreate);
  EXPECT_EQ(outcome({kCreate, kDelete}), std::nullopt);
  EXPECT_EQ(outcome({kUpdate, kDelete}), kDelete);
  EXPECT_EQ(outcome({kDelete, kCreate}), kUpdate);
  EXPECT_EQ(outcome({kUpdate, kUpdate}), kUpdate);
}

TEST(TreeChangesTest, MoreThanTheLimitIsARescan) {
  TreeChanges many({.paths = 2, .bytes = 100});
  TreeChanges long_ones({.paths = 100, .bytes = 2});
  for (const auto* path : {"a", "b"}) {
    many.add(path, ChangeType::kUpdate);
    long_ones.add(path, ChangeType::kUpdate);
  }
  EXPECT_FALSE(many.rescan() || long_ones.rescan());
  many.add("c", ChangeType::kUpdate);
  long_ones.add("c", ChangeType::kUpdate);
  EXPECT_TRUE(many.rescan() && long_ones.rescan());
  EXPECT_TRUE(many.paths().empty());
}

}  // namespace
}  // namespace svc::base
