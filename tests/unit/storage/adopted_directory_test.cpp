#include "adopted_directory.h"

#include <string>

#include <gtest/gtest.h>

#include "sqlite_store.h"
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

class AdoptedDirectoryTest : public ::testing::Test {
 protected:
  AdoptedDirectoryTest() {
    open("");
    run("INSERT INTO hosts VALUES ('own', 'a', 'persistent', 1, 0, 0, 0, 0), "
        "('other', 'b', 'persistent', 0, 0, 0, 0, 0)");
  }

  void open(const std::string& home) const {
    auto options = SqliteStoreOptions::of(dir_.path());
    options.home = home;
    const auto store = SqliteStore::open(options, clock_, silentLog());
    ASSERT_TRUE(store.ok()) << store.error().message;
  }
  [[nodiscard]] auto database() const { return Database::open(dir_.path() / "svc.db").value(); }
  void run(const std::string& sql) const {
    const auto status = database()->execute(sql.c_str());
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  void addPlugin(const std::string& id, const std::string& kind, const std::string& root) const {
    run("INSERT INTO plugins (id, source, source_kind, provenance, root_dir, version, enabled, "
        "generation, installed_at, updated_at) VALUES ('" +
        id + "', 's', '" + kind + "', 'direct', '" + root + "', '1', 1, 1, 1, 1)");
  }
  void addFolder(const std::string& id, const std::string& host, const std::string& kind,
                 const std::string& path) const {
    run("INSERT INTO environments VALUES ('" + id + "', 'p', '" + host + "', '" + kind +
        "', 'ready', '', '', '" + path + "', '', 1, 1, '', '', '', '', '', 0, '', 0, 0, 0)");
  }
  [[nodiscard]] std::string value(const std::string& sql) const {
    const auto opened = database();
    Statement query(opened->handle(), sql.c_str());
    auto rows = query.run();
    return rows.next() ? std::string(rows.text(0)) : "(nothing)";
  }
  [[nodiscard]] std::string rootOf(const std::string& id) const {
    return value("SELECT root_dir FROM plugins WHERE id = '" + id + "'");
  }
  [[nodiscard]] std::string folderOf(const std::string& id) const {
    return value("SELECT path FROM environments WHERE id = '" + id + "'");
  }

  TempDir dir_;
  FixedClock clock_;
};

TEST_F(AdoptedDirectoryTest, WhatLiesInItIsWhereItIsNow) {
  addPlugin("npm", "npm", "/old/svc/plugins/cache/npm/a/1.0.0");
  addPlugin("git", "git", "/old/svc/plugins/cache/git/host/b/c0ffee/packages/b");
  addPlugin("tar", "tarball", "/new/svc/plugins/cache/tarball/abc");
  addFolder("worktree", "own", "managed-worktree", "/old/svc/hostd/worktrees/worktree");
  addFolder("personal", "own", "personal", "/old/svc/hostd/personal/personal");
  addFolder("beside", "own", "managed-worktree", "/old/svc/machine/worktrees/beside");
  open("/new/svc");
  EXPECT_EQ(rootOf("npm"), "/new/svc/plugins/cache/npm/a/1.0.0");
  EXPECT_EQ(rootOf("git"), "/new/svc/plugins/cache/git/host/b/c0ffee/packages/b");
  EXPECT_EQ(rootOf("tar"), "/new/svc/plugins/cache/tarball/abc");
  EXPECT_EQ(folderOf("worktree"), "/new/svc/hostd/worktrees/worktree");
  EXPECT_EQ(folderOf("personal"), "/new/svc/hostd/personal/personal");
  EXPECT_EQ(folderOf("beside"), "/new/svc/machine/worktrees/beside");
}

TEST_F(AdoptedDirectoryTest, WhatLiesElsewhereStays) {
  addPlugin("path", "path", "/home/ada/plugins/cache/mine");
  addFolder("away", "other", "managed-worktree", "/old/svc/hostd/worktrees/away");
  addFolder("folder", "own", "unmanaged", "/old/svc/hostd/worktrees/folder");
  open("/new/svc");
  EXPECT_EQ(rootOf("path"), "/home/ada/plugins/cache/mine");
  EXPECT_EQ(folderOf("away"), "/old/svc/hostd/worktrees/away");
  EXPECT_EQ(folderOf("folder"), "/old/svc/hostd/worktrees/folder");
}

TEST_F(AdoptedDirectoryTest, ALookAtADatabaseElsewhereChangesNothing) {
  addPlugin("npm", "npm", "/old/svc/plugins/cache/npm/a/1.0.0");
  open("");
  EXPECT_EQ(rootOf("npm"), "/old/svc/plugins/cache/npm/a/1.0.0");
}

}  // namespace
}  // namespace svc::storage
