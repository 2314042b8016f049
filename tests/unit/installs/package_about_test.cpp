#include "package_about.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_managed_plugins.h"
#include "files.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PackageAboutTest : public ::testing::Test {
 protected:
  PackageAboutTest() { describe(R"({"name":"todo","version":"1.0.0","svc":{"server":"s.js"}})"); }

  void describe(const std::string& manifest) { files_.write("package.json", manifest); }
  PackageAbout about() {
    auto out = readAbout(plugins_, files_.path());
    EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
    return out ? std::move(out).value() : PackageAbout{};
  }
  std::vector<std::string> pictures() {
    std::vector<std::string> out;
    for (const auto& picture : about().pictures) {
      out.push_back(picture.path);
    }
    return out;
  }

  TempDir files_;
  TempDir elsewhere_;
  test::FakeManagedPlugins plugins_;
};

TEST_F(PackageAboutTest, SaysWhatTheManifestSays) {
  describe(R"json({"name":"todo","version":"1.0.0","license":"MIT",
    "author":"Ada <ada@example.org> (https://example.org)","homepage":"https://example.org/todo",
    "dependencies":{"zod":"^4","left-pad":"1"},"svc":{"server":"s.js","app":"a.tsx"}})json");
  const auto found = about();
  EXPECT_EQ(found.license, "MIT");
  EXPECT_EQ(found.author, "Ada");
  EXPECT_EQ(found.homepage, "https://example.org/todo");
  EXPECT_THAT(found.dependencies, ElementsAre("zod", "left-pad"));
  const auto json = toJson(found);
  EXPECT_EQ(json["id"].asString(), "todo");
  EXPECT_EQ(json["entries"].dump(), R"({"server":true,"app":true,"host":false})");
  EXPECT_EQ(json["icon"].asString(), "Box");
  EXPECT_TRUE(json["readme"].isNull());
}

TEST_F(PackageAboutTest, TakesTheOtherFormsOfAManifest) {
  describe(R"({"name":"todo","version":"1.0.0","license":{"type":"BSD"},"author":{"name":"Ada"},
    "repository":{"type":"git","url":"git+https://example.org/ada/todo.git"},"svc":{}})");
  auto found = about();
  EXPECT_EQ(found.license, "BSD");
  EXPECT_EQ(found.author, "Ada");
  EXPECT_EQ(found.homepage, "https://example.org/ada/todo");
  // Nothing that a browser would run, or that only looks like an address.
  for (const auto* homepage : {"\"javascript:alert(1)\"", "[\"https://example.org\"]", "7"}) {
    describe(R"({"name":"todo","version":"1.0.0","homepage":)" + std::string(homepage) +
             R"(,"author":7,"license":[],"dependencies":"zod","svc":{}})");
    found = about();
    EXPECT_EQ(found.homepage, "") << homepage;
    EXPECT_EQ(found.author, "");
    EXPECT_THAT(found.dependencies, IsEmpty());
  }
}

TEST_F(PackageAboutTest, PrefersTheReadmeInMarkdown) {
  files_.write("README", "plain");
  files_.write("ReadMe.md", "# Todo");
  EXPECT_EQ(about().readme, "# Todo");
}

TEST_F(PackageAboutTest, WithoutAReadmeTheOverviewSpeaks) {
  plugins_.overview = "What it is.";
  fs::create_directory(files_.path() / "readme.md");
  EXPECT_EQ(about().readme, "What it is.");
}

TEST_F(PackageAboutTest, ALongReadmeIsCutBetweenCharacters) {
  std::string text(kReadmeShown - 1, 'x');
  files_.write("README.md", text + "é and more");
  const auto found = about();
  EXPECT_TRUE(found.is_readme_cut);
  EXPECT_EQ(found.readme, text);
  files_.write("README.md", text + "y");
  EXPECT_FALSE(about().is_readme_cut);
  files_.write("README.md", "caf\xE9");
  EXPECT_EQ(about().readme, "caf\uFFFD");
}

TEST_F(PackageAboutTest, BringsThePicturesOfItsReadme) {
  files_.write("shots/list.png", "bytes");
  files_.write("logo.SVG", "<svg/>");
  files_.write("notes.txt", "no picture");
  files_.write("unused.png", "nobody shows it");
  files_.write("README.md",
               "![The list](shots/list.png \"List\") <img alt=x src=\"logo.SVG\"> ![](notes.txt) "
               "![](gone.png) ![](https://example.org/far.png) ![](shots/list.png)");
  const auto found = about();
  ASSERT_EQ(found.pictures.size(), 2U);
  EXPECT_EQ(found.pictures[0].path, "shots/list.png");
  EXPECT_EQ(found.pictures[0].bytes, "bytes");
  EXPECT_EQ(found.pictures[1].media_type, "image/svg+xml");
  EXPECT_EQ(toJson(found)["pictures"].items()[0]["dataBase64"].asString(), "Ynl0ZXM=");
}

TEST_F(PackageAboutTest, APictureThatIsABillionShapesIsNotShown) {
  std::string bomb = "<svg xmlns='http://www.w3.org/2000/svg'><g id='a0'><rect/></g>";
  for (int step = 1; step < 10; ++step) {
    bomb += "<g id='a" + std::to_string(step) + "'>";
    for (int each = 0; each < 10; ++each) {
      bomb += "<use href='#a" + std::to_string(step - 1) + "'/>";
    }
    bomb += "</g>";
  }
  files_.write("bomb.svg", bomb + "</svg>");
  files_.write("good.svg", "<svg xmlns='http://www.w3.org/2000/svg'><style>a{}</style></svg>");
  files_.write("README.md", "![](bomb.svg) ![](good.svg)");
  EXPECT_THAT(pictures(), ElementsAre("good.svg"));
}

TEST_F(PackageAboutTest, PicturesMayBeNamedAsAddresses) {
  files_.write("my shot é.png", "bytes");
  files_.write("50%.png", "half");
  files_.write("README.md", "![](my%20shot%20%C3%A9.png) ![](50%.png)");
  EXPECT_THAT(pictures(), ElementsAre("my%20shot%20%C3%A9.png", "50%.png"));
}

TEST_F(PackageAboutTest, NothingOutsideOfThePackageIsShown) {
  elsewhere_.write("secret.png", "secret");
  elsewhere_.write("README.md", "secret");
  fs::create_symlink(elsewhere_.path() / "secret.png", files_.path() / "link.png");
  files_.write("README.md",
               "![](link.png) ![](../" + elsewhere_.path().filename().string() + "/secret.png)");
  EXPECT_THAT(pictures(), IsEmpty());
  fs::remove(files_.path() / "README.md");
  fs::create_symlink(elsewhere_.path() / "README.md", files_.path() / "README.md");
  EXPECT_EQ(about().readme, "");
}

TEST_F(PackageAboutTest, PicturesAreBounded) {
  std::string readme;
  for (std::size_t index = 0; index < kReadmePictures + 1; ++index) {
    const auto name = std::to_string(index) + ".png";
    files_.write(name, "x");
    readme += "![](" + name + ")";
  }
  files_.write("README.md", readme);
  EXPECT_EQ(pictures().size(), kReadmePictures);

  files_.write("0.png", std::string(kReadmePicture + 1, 'x'));
  EXPECT_THAT(pictures(), ::testing::Not(::testing::Contains("0.png")));
  for (std::size_t index = 0; index < kReadmePictures; ++index) {
    files_.write(std::to_string(index) + ".png", std::string(kReadmePicture, 'x'));
  }
  std::size_t bytes = 0;
  for (const auto& picture : about().pictures) {
    bytes += picture.bytes.size();
  }
  EXPECT_LE(bytes, kReadmePicturesBytes);
}

TEST_F(PackageAboutTest, CountsWhatIsItsOwn) {
  files_.write("server.js", "12345");
  files_.write("node_modules/zod/index.js", "123456789");
  const auto found = about();
  EXPECT_EQ(found.files, 2U);  // with package.json
  EXPECT_EQ(found.bytes, fs::file_size(files_.path() / "package.json") + 5);
}

TEST_F(PackageAboutTest, WhatIsNoPluginIsRefused) {
  fs::remove(files_.path() / "package.json");
  const auto out = readAbout(plugins_, files_.path());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kInstallRefused);
}

TEST(PicturesOfTest, FindsOnlyWhatIsRelative) {
  EXPECT_THAT(picturesOf("![a](b.png)"), ElementsAre("b.png"));
  EXPECT_THAT(picturesOf("![a]( <./b.png> 'x')"), ElementsAre("./b.png"));
  EXPECT_THAT(picturesOf("[![badge](https://x/b.svg)](https://x) <IMG width=1 SRC='c.gif'/>"),
              ElementsAre("c.gif"));
  for (const auto* text :
       {"", "!", "![", "![](", "![]()", "![a](/b.png)", "![a](#b)", "![a\n](b.png)", "[a](b.png)",
        "<img", "<img src=", "<img src='", "<img src=b.png>", "<imgsrc='b'>", "<a src='b'>",
        "![a](data:image/png;base64,AA)", "![a](C:\\b.png)"}) {
    EXPECT_THAT(picturesOf(text), IsEmpty()) << text;
  }
}

TEST(PicturesOfTest, IsQuickForWhatIsMadeToBeSlow) {
  // What never ends is looked at for a bounded way from each beginning.
  std::string text;
  while (text.size() < kReadmeShown) {
    text += "![<img ";
  }
  EXPECT_THAT(picturesOf(text), IsEmpty());
}

}  // namespace
}  // namespace svc::installs
