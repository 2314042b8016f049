#include "svc/common/svg.h"

#include <array>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/limits/plugins.h"

namespace svc::common {
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
    ::testing::Values(
        "", "<path d=\"M0 0h24v24\"/>", "<!-- a comment --><title>A &amp; B &#x41;</title>",
        "<g transform=\"translate(1 2)\"/>", "<use href=\"#a\"/>", "<use xlink:href=\"#a\"/>",
        "<rect fill=\"url(#a)\"/>", "<rect fill=\"url( '#a' )\"/>",
        "<rect style=\"fill:URL(&quot;#a&quot;);opacity:.5\"/>",
        "<animate attributeName=\"opacity\" to=\"1\"/>", "<text>url(http://x) onclick=</text>",
        "<desc><![CDATA[<script>]]></desc>", "<rect aria-label=\"a\\b\"/>",
        "<g id=\"a\" aria-label=\"#a\" fill=\"#a\"/>", "<rect xml:space=\"preserve\"/>"));

struct Rejected {
  const char* content;
  const char* reason;
};

class RejectedSvgTest : public ::testing::TestWithParam<Rejected> {};

TEST_P(RejectedSvgTest, NamesTheReason) {
  EXPECT_THAT(problemOf(svg(GetParam().content)), HasSubstr(GetParam().reason));
}

/// Ten of the one before at each step, of which `last` is drawn.
std::string nested(int steps, const char* reference) {
  std::string text = "<defs><g id='a0'><rect/></g>";
  for (int step = 1; step <= steps; ++step) {
    text += fmt::format("<g id='a{}'>", step);
    for (int each = 0; each < 10; ++each) {
      text += fmt::format(fmt::runtime(reference), step - 1);
    }
    text += "</g>";
  }
  return text + "</defs>" + fmt::format(fmt::runtime(reference), steps);
}

class DrawnSvgTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DrawnSvgTest, WhatIsReferredToCountsEachTime) {
  EXPECT_EQ(problemOf(svg(nested(2, GetParam()))), "");
  EXPECT_THAT(problemOf(svg(nested(9, GetParam()))),
              HasSubstr("more than 10000 elements are drawn"));
}

INSTANTIATE_TEST_SUITE_P(Content, DrawnSvgTest,
                         ::testing::Values("<use href='#a{}'/>", "<use xlink:href='#a{}'/>",
                                           "<rect fill='url(#a{})'/>",
                                           "<g mask='url( &quot;#a{}&quot; )'/>",
                                           "<g style='fill:red;clip-path:URL(#a{})'/>"));

TEST(SvgTest, DepthIsBounded) {
  const auto deep = [](std::size_t levels) {
    std::string text;
    for (std::size_t level = 0; level < levels; ++level) {
      text += "<g>";
    }
    for (std::size_t level = 0; level < levels; ++level) {
      text += "</g>";
    }
    return problemOf(svg(text));
  };
  EXPECT_EQ(deep(limits::kSvgDepth - 1), "");
  EXPECT_THAT(deep(limits::kSvgDepth), HasSubstr("nested deeper than 64"));
  EXPECT_THAT(deep(20'000), HasSubstr("nested deeper than 64"));
}

TEST(SvgTest, APictureIsOnlyBoundedInWhatItDraws) {
  const auto problem = [](std::string_view bytes) {
    const auto checked = checkSvgPicture(bytes);
    return checked ? std::string() : checked.error().message;
  };
  const std::string head =
      R"(<?xml-stylesheet href="a.css"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">)";
  EXPECT_EQ(problem(head +
                    svg("<style>a{}</style><a href='http://x'/><image href='http://x'/><script/>")),
            "");
  EXPECT_THAT(problem(svg(nested(9, "<use href='#a{}'/>"))),
              HasSubstr("more than 10000 elements are drawn"));
  EXPECT_THAT(problem(R"(<!DOCTYPE svg [<!ENTITY a "<g/>">]>)" + svg("&a;")),
              HasSubstr("doctype may not define"));
  EXPECT_THAT(problem("<svg>"), HasSubstr("not well-formed XML"));
}

TEST(SvgTest, NothingDrawsItself) {
  EXPECT_THAT(problemOf(svg("<g id='a'><use href='#a'/></g>")), HasSubstr("refers to itself"));
  EXPECT_THAT(problemOf(svg("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>")),
              HasSubstr("refers to itself"));
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

TEST(SvgTest, AcceptsADeclarationAndAByteOrderMark) {
  EXPECT_EQ(problemOf("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + svg("")), "");
}

TEST(SvgTest, RefusesADoctypeWithItsEntities) {
  EXPECT_THAT(problemOf("<!DOCTYPE svg [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>" + svg("&b;")),
              HasSubstr("a doctype is not allowed"));
  EXPECT_THAT(problemOf("<!DOCTYPE svg SYSTEM \"file:///etc/passwd\">" + svg("")),
              HasSubstr("a doctype is not allowed"));
}

TEST(SvgTest, RefusesAnotherRoot) {
  EXPECT_THAT(problemOf(R"(<g xmlns="http://www.w3.org/2000/svg"/>)"),
              HasSubstr("the root must be <svg>, is <g>"));
  EXPECT_THAT(problemOf("<svg/>"), HasSubstr("not in the SVG namespace"));
}

TEST(SvgTest, RefusesOtherEncodings) {
  EXPECT_THAT(problemOf(R"(<?xml version="1.0" encoding="UTF-7"?>)" + svg("")),
              HasSubstr("the encoding must be UTF-8, is \"UTF-7\""));
  EXPECT_NE(problemOf(std::string("\xFF\xFE<\0s\0", 6)), "");
}

TEST(SvgTest, RefusesWhatIsNoXml) {
  EXPECT_THAT(problemOf(""), HasSubstr("not well-formed XML"));
  EXPECT_THAT(problemOf("GIF89a"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(problemOf(svg("") + "<svg/>"), HasSubstr("not well-formed XML"));
}

TEST(SvgTest, RefusesMoreThanTheLargestLogo) {
  EXPECT_THAT(problemOf(svg(std::string(limits::kLogo, ' '))), HasSubstr("the limit logo is"));
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

TEST(SvgTest, NoMixtureOfPiecesGetsThrough) {
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

TEST(SvgTest, DamagedBytesNeverHarm) {
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
}  // namespace svc::common
