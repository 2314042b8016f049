#include "source_spec.h"

#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

namespace svc::installs {
namespace {

using ::testing::HasSubstr;

SourceSpec parsedSource(std::string_view text, const Selection& selection = {}) {
  auto spec = parseSource(text, selection, "/home/me");
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec.ok() ? "" : spec.error().message);
  return spec ? std::move(spec).value() : SourceSpec{};
}

std::string refusedWith(std::string_view text, const Selection& selection = {}) {
  const auto spec = parseSource(text, selection, "/home/me");
  EXPECT_FALSE(spec.ok()) << text;
  return spec ? "" : spec.error().message;
}

TEST(SourceSpecTest, AnythingWithASeparatorIsADirectory) {
  for (const auto* text : {"./todo", "/srv/todo", "~/todo", "plugins/todo", ".", "..", "~",
                           "path:todo", "@scope/pkg"}) {
    EXPECT_EQ(parsedSource(text).kind, SourceKind::kPath) << text;
    EXPECT_EQ(parsedSource(text).text, text);
  }
  EXPECT_EQ(parsedSource("path:npm:x").location, "npm:x");
}

TEST(SourceSpecTest, ReadsNpmPackages) {
  struct Case {
    const char* text;
    const char* package;
    const char* spec;
  };
  for (const auto& [text, package, spec] :
       {Case{"npm:todo", "todo", ""}, Case{"npm:todo@1.2.3", "todo", "1.2.3"},
        Case{"npm:todo@^1.2", "todo", "^1.2"}, Case{"npm:todo@next", "todo", "next"},
        Case{"npm:@acme/todo", "@acme/todo", ""},
        Case{"npm:@acme/todo@>=1 <3", "@acme/todo", ">=1 <3"},
        Case{"npm:@acme/svc-plugin.x_y@latest", "@acme/svc-plugin.x_y", "latest"}}) {
    const auto out = parsedSource(text);
    EXPECT_EQ(out.kind, SourceKind::kNpm) << text;
    EXPECT_EQ(std::tie(out.package, out.spec, out.text),
              std::make_tuple(std::string(package), std::string(spec), std::string(text)));
  }
}

TEST(SourceSpecTest, RefusesWhatIsNoNpmPackage) {
  for (const auto* text : {"npm:", "npm:@", "npm:@acme", "npm:@acme/", "npm:.x", "npm:_x", "npm:-x",
                           "npm:a b", "npm:../x", "npm:a/b", "npm:@a/b/c", "npm:x@", "npm:x@a b",
                           "npm:--registry=x", "npm:x@../y"}) {
    EXPECT_NE(refusedWith(text), "") << text;
  }
  EXPECT_NE(refusedWith("npm:" + std::string(300, 'a')), "");
}

TEST(SourceSpecTest, TellsNpmSpecsApart) {
  EXPECT_EQ(npmSpecKind(""), NpmSpecKind::kNewest);
  EXPECT_EQ(npmSpecKind("1.2.3"), NpmSpecKind::kExact);
  EXPECT_EQ(npmSpecKind("v1.2.3-beta.1"), NpmSpecKind::kExact);
  EXPECT_EQ(npmSpecKind("1.2"), NpmSpecKind::kRange);
  EXPECT_EQ(npmSpecKind("*"), NpmSpecKind::kRange);
  EXPECT_EQ(npmSpecKind("next"), NpmSpecKind::kTag);
}

TEST(SourceSpecTest, ReadsGitRepositories) {
  struct Case {
    const char* text;
    const char* url;
    const char* ref;
  };
  for (const auto& [text, url, ref] :
       {Case{"git:https://example.org/a/b", "https://example.org/a/b", ""},
        Case{"git:https://example.org/a/b.git@main", "https://example.org/a/b.git", "main"},
        Case{"git:https://example.org/a/b@feature/x", "https://example.org/a/b", "feature/x"},
        Case{"https://example.org/a/b", "https://example.org/a/b", ""},
        Case{"http://127.0.0.1:1/a/b.git@v1.0.0", "http://127.0.0.1:1/a/b.git", "v1.0.0"},
        Case{"https://me@example.org/a/b@main", "https://me@example.org/a/b", "main"},
        Case{"https://example.org/@acme/b@main", "https://example.org/@acme/b", "main"},
        Case{"git@example.org:a/b.git", "git@example.org:a/b.git", ""},
        Case{"git:git@example.org:a/b.git@main", "git@example.org:a/b.git", "main"},
        Case{"git:example.org:a/b@main", "example.org:a/b", "main"},
        Case{"ssh://git@example.org/a/b@main", "ssh://git@example.org/a/b", "main"},
        Case{"git+ssh://git@example.org/a/b", "ssh://git@example.org/a/b", ""},
        Case{"git:/srv/repo@main", "/srv/repo", "main"},
        Case{"git:file:///srv/repo.git@main", "file:///srv/repo.git", "main"}}) {
    const auto out = parsedSource(text);
    EXPECT_EQ(out.kind, SourceKind::kGit) << text;
    EXPECT_EQ(out.url, url) << text;
    EXPECT_EQ(out.ref, ref) << text;
    EXPECT_FALSE(out.semver);
  }
}

TEST(SourceSpecTest, ReadsRangesOverTags) {
  auto out = parsedSource("git:https://example.org/a/b@semver:^1.2");
  EXPECT_TRUE(out.semver);
  EXPECT_EQ(out.range, "^1.2");
  EXPECT_EQ(out.tag_prefix, "");
  out = parsedSource("git:https://example.org/a/b@semver:todo-:>=1 <3");
  EXPECT_EQ(out.range, ">=1 <3");
  EXPECT_EQ(out.tag_prefix, "todo-");
  out = parsedSource("git:https://example.org/a/b@semver:^1", {.tag_prefix = "todo/"});
  EXPECT_EQ(out.tag_prefix, "todo/");
}

TEST(SourceSpecTest, ForcesARef) {
  const auto out = parsedSource("git:https://example.org/a/b@ref:refs/pull/7/head");
  EXPECT_TRUE(out.force_ref);
  EXPECT_EQ(out.ref, "refs/pull/7/head");
}

TEST(SourceSpecTest, RefusesGitAddressesThatCouldRunSomething) {
  for (const auto* text : {"git:ext::sh -c touch% /tmp/x", "git:--upload-pack=x", "git:-x",
                           "git:fd::7", "git:javascript://x", "git:https://x/y@-x",
                           "git:https://x/y@a..b", "git:https://x/y@a b", "git:https://x/y@a^{}"}) {
    EXPECT_NE(refusedWith(text), "") << text;
  }
}

TEST(SourceSpecTest, RefusesGitAddressesThatNobodyAuthenticates) {
  for (const auto* text :
       {"http://example.org/a.git", "git:http://example.org/a", "git+http://example.org/a",
        "git://example.org/a.git", "git:git://example.org/a", "git:http://localhost.example.org/a",
        "http://127.0.0.1:x@example.org/a"}) {
    EXPECT_NE(refusedWith(text), "") << text;
  }
  EXPECT_EQ(refusedWith("http://example.org/a.git"),
            "http://example.org/a.git is not fetched: http is not protected on its way here; use "
            "https or ssh");
  EXPECT_THAT(refusedWith("git://example.org/a.git"), HasSubstr("use https"));
}

TEST(SourceSpecTest, SaysHowARangeIsWritten) {
  EXPECT_THAT(refusedWith("git:https://example.org/a/b@^1.2"), HasSubstr("@semver:^1.2"));
  EXPECT_THAT(refusedWith("git:https://example.org/a/b@semver:x.y.z.w"), HasSubstr("range"));
}

TEST(SourceSpecTest, RefusesPasswordsInAddresses) {
  EXPECT_THAT(refusedWith("https://me:secret@example.org/a/b"), HasSubstr("password"));
  EXPECT_THAT(refusedWith("https://me:secret@example.org/a.tgz"), HasSubstr("password"));
}

TEST(SourceSpecTest, SelectsInsideARepository) {
  const auto url = "git:https://example.org/a/b";
  EXPECT_EQ(parsedSource(url, {Selection::Kind::kSubdirectory, "./plugins/todo/", ""}).subdirectory,
            "plugins/todo");
  EXPECT_EQ(parsedSource(url, {Selection::Kind::kSubdirectory, ".", ""}).subdirectory, "");
  EXPECT_EQ(parsedSource(url, {Selection::Kind::kEntry, "todo", ""}).entry, "todo");
  for (const auto* path : {"..", "../x", "/etc", "a/../../x"}) {
    EXPECT_THAT(refusedWith(url, {Selection::Kind::kSubdirectory, path, ""}),
                HasSubstr("not inside"));
  }
}

TEST(SourceSpecTest, RefusesSelectionsElsewhere) {
  for (const auto* text : {"npm:todo", "/srv/todo", "todo@acme"}) {
    EXPECT_THAT(refusedWith(text, {Selection::Kind::kEntry, "x", ""}), HasSubstr("git repository"));
  }
  EXPECT_THAT(refusedWith("git:https://example.org/a/b@main", {.tag_prefix = "x-"}),
              HasSubstr("range"));
  EXPECT_THAT(refusedWith("git:https://example.org/a/b@semver:a-:^1", {.tag_prefix = "x-"}),
              HasSubstr("twice"));
  EXPECT_THAT(refusedWith("git:https://example.org/a/b@semver:^1",
                          {.tag_prefix = std::string(limits::kTagPrefix + 1, 'x')}),
              HasSubstr("limit tagPrefix"));
}

TEST(SourceSpecTest, ReadsTarballs) {
  EXPECT_EQ(parsedSource("tarball:/srv/todo.tgz").location, "/srv/todo.tgz");
  EXPECT_EQ(parsedSource("/srv/todo-1.0.0.tgz").kind, SourceKind::kTarball);
  EXPECT_EQ(parsedSource("~/todo.tar.gz").location, "/home/me/todo.tar.gz");
  EXPECT_EQ(parsedSource("https://example.org/todo.tgz").kind, SourceKind::kTarball);
  EXPECT_EQ(parsedSource("http://127.0.0.1:1/todo.tgz").kind, SourceKind::kTarball);
  EXPECT_NE(refusedWith("http://example.org/todo.tgz"), "");
  EXPECT_NE(refusedWith("tarball:todo.tgz"), "");
}

TEST(SourceSpecTest, AnExampleIsKnownByItsName) {
  const auto spec = parseSource("example:disk-usage", {}, "").value();
  EXPECT_EQ(spec.kind, SourceKind::kTarball);
  EXPECT_TRUE(isExample(spec));
  EXPECT_EQ(identityOf(spec), "example:disk-usage");
  EXPECT_EQ(specFromJson(toJson(spec)).location, spec.location);
  for (const std::string text : {"example:", "example:../x", "example:A", "example:a/b"}) {
    EXPECT_THAT(refusedWith(text), HasSubstr("no name of an example")) << text;
  }
  EXPECT_FALSE(isExample(parseSource("/x.tgz", {}, "").value()));
}

TEST(SourceSpecTest, ReadsCatalogueEntriesAndBundledNames) {
  EXPECT_EQ(parsedSource("todo").entry_id, "todo");
  EXPECT_EQ(parsedSource("todo@acme").marketplace, "acme");
  EXPECT_EQ(parsedSource("builtin:todo").kind, SourceKind::kBuiltin);
  for (const auto* text : {"", "todo@", "@", "a b", "todo!", "x\ny"}) {
    EXPECT_NE(refusedWith(text), "") << text;
  }
  EXPECT_NE(refusedWith(std::string(5000, 'a')), "");
}

TEST(SourceSpecTest, SurvivesItsRow) {
  for (const auto* text : {"npm:@acme/todo@^1", "npm:todo", "git:https://example.org/a/b@main",
                           "git:https://example.org/a/b@semver:p-:^1",
                           "git:https://example.org/a@ref:x", "tarball:/srv/x.tgz"}) {
    const auto spec = parsedSource(text);
    auto back = specFromJson(toJson(spec));
    back.text = spec.text;
    EXPECT_EQ(back, spec) << text;
  }
}

TEST(SourceSpecTest, AnIdentityIgnoresTheVersion) {
  EXPECT_EQ(identityOf(parsedSource("npm:todo@^1")), identityOf(parsedSource("npm:todo@2.0.0")));
  EXPECT_EQ(identityOf(parsedSource("git:https://x/y@main")),
            identityOf(parsedSource("git:https://x/y@v1")));
  EXPECT_NE(identityOf(parsedSource("git:https://x/y")),
            identityOf(parsedSource("git:https://x/y", {Selection::Kind::kSubdirectory, "a", ""})));
  EXPECT_NE(identityOf(parsedSource("npm:todo")), identityOf(parsedSource("npm:@acme/todo")));
}

TEST(SourceSpecTest, OnlyThisMachineIsFetchedWithoutEncryption) {
  EXPECT_TRUE(isFetchUrl("https://example.org/x"));
  EXPECT_TRUE(isFetchUrl("http://localhost:80/x"));
  for (const auto* url :
       {"http://example.org/x", "http://localhost.example.org/x", "ftp://x",
        "http://127.0.0.1.example.org", "http://127.0.0.1:1@example.org", "", "https://a b"}) {
    EXPECT_FALSE(isFetchUrl(url)) << url;
  }
}

}  // namespace
}  // namespace svc::installs
