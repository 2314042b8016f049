#include "svg_validator.h"

#include <array>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/plugins.h"

#include "plugin_contents.h"

namespace svc::plugins {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHead =
    R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">)";

std::string svg(std::string_view content) { return fmt::format("{}{}</svg>", kHead, content); }

std::string problemOf(std::string_view bytes) {
  const auto checked = checkSvg(bytes);
  return checked ? std::string() : checked.error().message;
}

class AcceptedSvgTest : public ::testing::TestWithParam<const char*> {};

TEST_P(AcceptedSvgTest, Passes) { EXPECT_EQ(problemOf(svg(GetParam())), ""); }

INSTANTIATE_TEST_SUITE_P(
    Content, AcceptedSvgTest,
    ::testing::Values("", "<path d=\"M0 0h24v24\"/>",
                      "<!-- a comment --><title>A &amp; B &#x41;</title>",
                      "<g transform=\"translate(1 2)\"/>", "<use href=\"#a\"/>",
                      "<use xlink:href=\"#a\"/>", "<rect fill=\"url(#a)\"/>",
                      "<rect fill=\"url( '#a' )\"/>",
                      "<rect style=\"fill:URL(&quot;#a&quot;);opacity:.5\"/>",
                      "<animate attributeName=\"opacity\" to=\"1\"/>",
                      "<text>url(http://x) onclick=</text>", "<desc><![CDATA[<script>]]></desc>",
                      "<rect aria-label=\"a\\b\"/>", "<rect xml:space=\"preserve\"/>"));

struct Rejected {
  const char* content;
  const char* reason;
};

class RejectedSvgTest : public ::testing::TestWithParam<Rejected> {};

TEST_P(RejectedSvgTest, NamesTheReason) {
  EXPECT_THAT(problemOf(svg(GetParam().content)), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Content, RejectedSvgTest,
    ::testing::Values(
        Rejected{"\n<script>x</script>", "line 2: the element <script> is not allowed"},
        Rejected{"<SCRIPT/>", "<SCRIPT> is not allowed"},
        Rejected{"<handler/>", "<handler> is not allowed"},
        Rejected{"<listener/>", "<listener> is not allowed"},
        Rejected{"<iframe/>", "<iframe> is not allowed"},
        Rejected{"<foreignObject/>", "<foreignObject> is not allowed"},
        Rejected{"<image/>", "<image> is not allowed"},
        Rejected{"<video/>", "<video> is not allowed"},
        Rejected{"<audio/>", "<audio> is not allowed"}, Rejected{"<a/>", "<a> is not allowed"},
        Rejected{"<style>*{}</style>", "<style> is not allowed"},
        Rejected{"<b xmlns=\"http://www.w3.org/1999/xhtml\"/>", "not in the SVG namespace"},
        Rejected{"<b xmlns=\"\"/>", "not in the SVG namespace"},
        Rejected{"<h:script xmlns:h=\"http://www.w3.org/1999/xhtml\"/>", "not in the SVG"},
        Rejected{"<x:script xmlns:x=\"http://www.w3.org/2000/svg\"/>", "<script> is not allowed"},
        Rejected{"<g onload=\"x\"/>", "event attribute \"onload\""},
        Rejected{"<g ONCLICK=\"x\"/>", "event attribute \"ONCLICK\""},
        Rejected{"<g xml:base=\"http://x/\"/>", "xml:base is not allowed"},
        Rejected{"<use href=\"http://x/#a\"/>", "href may only point into the file"},
        Rejected{"<use href=\" #a\"/>", "href may only point into the file"},
        Rejected{"<use href=\"\"/>", "href may only point into the file"},
        Rejected{"<use xlink:href=\"javascript:x\"/>", "href may only point into the file"},
        Rejected{"<use href=\"#a\\b\"/>", "a backslash is not allowed in \"href\""},
        Rejected{"<rect fill=\"url(http://x)\"/>", "url() may only point into the file"},
        Rejected{"<rect fill=\"URL( &quot;//x&quot; )\"/>", "url() may only point"},
        Rejected{"<rect fill=\"&#x75;rl(//x)\"/>", "url() may only point"},
        Rejected{"<rect fill=\"url(#a) url(b)\"/>", "url() may only point"},
        Rejected{"<rect fill=\"url(\"/>", "url() may only point"},
        Rejected{"<rect style=\"fill:src('x')\"/>", "src() may only point"},
        Rejected{"<rect style=\"fill:image('x')\"/>", "image() may only point"},
        Rejected{"<rect style=\"fill:image-set('x' 1x)\"/>", "image-set() may only point"},
        Rejected{"<rect style=\"fill:\\75rl(x)\"/>", "a backslash is not allowed in \"style\""},
        Rejected{"<rect fill=\"u\\72l(x)\"/>", "a backslash is not allowed in \"fill\""},
        Rejected{"<animate attributeName=\"href\" to=\"#b\"/>", "animating \"href\""},
        Rejected{"<set attributeName=\" xlink:HREF \" to=\"#b\"/>", "is not allowed"},
        Rejected{"<set attributeName=\"onclick\" to=\"x\"/>", "animating \"onclick\""},
        Rejected{"<set attributeName=\"fill\" to=\"url(//x)\"/>", "url() may only point"},
        Rejected{"<?xml-stylesheet href=\"x\"?>", "processing instruction <?xml-stylesheet?>"},
        Rejected{"&custom;", "not well-formed XML"}, Rejected{"<g>", "not well-formed XML"}));

TEST(SvgValidatorTest, AcceptsADeclarationAndAByteOrderMark) {
  EXPECT_EQ(problemOf("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + svg("")), "");
}

TEST(SvgValidatorTest, RefusesADoctypeWithItsEntities) {
  EXPECT_THAT(problemOf("<!DOCTYPE svg [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" + svg("&b;")),
              HasSubstr("a doctype is not allowed"));
  EXPECT_THAT(problemOf("<!DOCTYPE svg SYSTEM \"file:///etc/passwd\">" + svg("")),
              HasSubstr("a doctype is not allowed"));
}

TEST(SvgValidatorTest, RefusesAnotherRoot) {
  EXPECT_THAT(problemOf(R"(<g xmlns="http://www.w3.org/2000/svg"/>)"),
              HasSubstr("the root must be <svg>, is <g>"));
  EXPECT_THAT(problemOf("<svg/>"), HasSubstr("not in the SVG namespace"));
}

TEST(SvgValidatorTest, RefusesOtherEncodings) {
  EXPECT_THAT(problemOf(R"(<?xml version="1.0" encoding="UTF-7"?>)" + svg("")),
              HasSubstr("the encoding must be UTF-8, is \"UTF-7\""));
  EXPECT_NE(problemOf(std::string("\xFF\xFE<\0s\0", 6)), "");
}

TEST(SvgValidatorTest, RefusesWhatIsNoXml) {
  EXPECT_THAT(problemOf(""), HasSubstr("not well-formed XML"));
  EXPECT_THAT(problemOf("GIF89a"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(problemOf(svg("") + "<svg/>"), HasSubstr("not well-formed XML"));
}

TEST(SvgValidatorTest, RefusesMoreThanTheLargestLogo) {
  EXPECT_THAT(problemOf(svg(std::string(limits::kLogo, ' '))), HasSubstr("the limit logo is"));
}

TEST(SvgValidatorTest, AcceptsTheGeneratedIcons) {
  for (const auto* name : {"Todo", "<b>", "&", "\"", "\xC3\xA4hm", "", "9 lives"}) {
    EXPECT_EQ(problemOf(letterIcon(name)), "") << name;
  }
}

TEST(SvgValidatorTest, SurvivesDeepNesting) {
  constexpr std::size_t kDepth = 20'000;
  std::string content;
  for (std::size_t depth = 0; depth < kDepth; ++depth) {
    content += "<g>";
  }
  EXPECT_NE(problemOf(svg(content)), "");
  for (std::size_t depth = 0; depth < kDepth; ++depth) {
    content += "</g>";
  }
  EXPECT_EQ(problemOf(svg(content)), "");
}

/// What no accepted file may contain, however it was put together. Attributes are looked for where they are no text.
bool looksDangerous(std::string_view text) {
  constexpr std::array<std::string_view, 7> kSigns{
      "<script",        "<style",       "<!DOCTYPE",         "<image",
      "<foreignObject", "<rect onload", "<rect fill=\"url(h"};
  for (const auto sign : kSigns) {
    if (text.find(sign) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

TEST(SvgValidatorTest, NoMixtureOfPiecesGetsThrough) {
  constexpr std::array<std::string_view, 22> kPieces{"<g>",
                                                     "</g>",
                                                     "<script>",
                                                     "</script>",
                                                     "<style/>",
                                                     "<image/>",
                                                     " onload=\"x\"",
                                                     "<rect",
                                                     "/>",
                                                     ">",
                                                     " fill=\"url(http://x)\"",
                                                     " fill=\"url(#a)\"",
                                                     "<foreignObject/>",
                                                     "&lt;",
                                                     "&#60;script",
                                                     "\"",
                                                     "'",
                                                     "<!DOCTYPE x>",
                                                     "x",
                                                     "<use href=\"#a\"/>",
                                                     "\n",
                                                     "</svg>"};
  std::mt19937 random(20'240'607);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same run every time
  std::uniform_int_distribution<std::size_t> pick(0, kPieces.size() - 1);
  std::uniform_int_distribution<int> length(0, 8);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string content;
    for (int left = length(random); left > 0; --left) {
      content += kPieces.at(pick(random));
    }
    if (checkSvg(svg(content))) {
      ++accepted;
      EXPECT_FALSE(looksDangerous(content)) << content;
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(SvgValidatorTest, DamagedBytesNeverHarm) {
  const auto good =
      svg(R"svg(<defs><linearGradient id="a"/></defs><rect fill="url(#a)" style="x:y"/>)svg");
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same run every time
  std::uniform_int_distribution<std::size_t> at(0, good.size() - 1);
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = good;
    for (int changes = 0; changes < 3; ++changes) {
      damaged[at(random)] = static_cast<char>(byte(random));
    }
    if (checkSvg(damaged)) {
      EXPECT_FALSE(looksDangerous(damaged)) << damaged;
    }
  }
}

}  // namespace
}  // namespace svc::plugins
