#include "thread_extras.h"

#include "svc/common/codes.h"

#include "fixture.h"
#include "thread_limits.h"

namespace svc::threads {
namespace {

using common::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class ThreadExtrasTest : public ThreadsFixture {
 protected:
  ThreadExtras extras() { return ThreadExtras(*book_); }
  static Json parse(const std::string& text) { return Json::parse(text).value(); }
  void say(const std::string& thread_id, const std::string& type, const std::string& data) {
    Edit edit(*book_);
    edit.log(*edit.thread(thread_id).value(), type, "", parse(data));
    EXPECT_TRUE(edit.commit().ok());
  }
};

TEST_F(ThreadExtrasTest, SectionsComeAndGoWithoutTheirThreads) {
  const auto id = extras().createSection("Later").value()["id"].asString();
  EXPECT_THAT(id, ::testing::StartsWith("sec_"));
  add("thr_a");
  ASSERT_TRUE(records_->update("thr_a", {.section_id = id}).ok());
  EXPECT_EQ(extras().renameSection(id, "Soon").value()["name"].asString(), "Soon");
  restartBook();
  EXPECT_EQ(extras().sections().items().at(0)["name"].asString(), "Soon");
  EXPECT_EQ(extras().removeSection(id).value()["updatedThreadCount"].asInteger(), 1);
  EXPECT_THAT(told_, ElementsAre(Pair("thr_a", "order-changed"), Pair("", "order-changed")));
  EXPECT_TRUE(records_->get("thr_a").value()["sectionId"].isNull());
  EXPECT_EQ(extras().removeSection(id).error().code, errc::kNotFound);
  EXPECT_EQ(extras().renameSection(id, "x").error().code, errc::kNotFound);
}

TEST_F(ThreadExtrasTest, TabsHaveARevision) {
  add("thr_a");
  EXPECT_EQ(extras().tabs("thr_a").value().dump(), R"({"revision":0,"tabs":[]})");
  const auto tabs = parse(R"([{"id":"a","kind":"git-diff"}])");
  EXPECT_EQ(extras().setTabs("thr_a", 0, tabs).value()["revision"].asInteger(), 1);
  const auto refused = extras().setTabs("thr_a", 0, Json::array()).error();
  EXPECT_EQ(refused.code, errc::kConflict);
  EXPECT_THAT(refused.details, HasSubstr(R"("revision":1)"));
  restartBook();
  EXPECT_EQ(extras().tabs("thr_a").value()["tabs"].dump(), tabs.dump());
  auto many = Json::array();
  for (std::size_t at = 0; at <= kTabs; ++at) {
    many.push(Json::object());
  }
  EXPECT_THAT(extras().setTabs("thr_a", 1, many).error().message, HasSubstr("64 tabs"));
  EXPECT_EQ(extras().tabs("thr_x").error().code, errc::kNotFound);
}

TEST_F(ThreadExtrasTest, MetadataIsMergedForEachPlugin) {
  add("thr_a");
  EXPECT_EQ(extras().metadata("thr_a", "todo").value().dump(), "{}");
  ASSERT_TRUE(extras().setMetadata("thr_a", "todo", parse(R"({"a":1,"b":{"c":2}})")).ok());
  EXPECT_EQ(extras().setMetadata("thr_a", "todo", parse(R"({"a":null,"d":3})")).value().dump(),
            R"({"b":{"c":2},"d":3})");
  EXPECT_EQ(extras().metadata("thr_a", "other").value().dump(), "{}");
  const auto large = Json::object().set("a", std::string(kThreadMetadata, 'x'));
  const auto refused = extras().setMetadata("thr_a", "todo", large).error();
  EXPECT_EQ(refused.code, errc::kTooLarge);
  EXPECT_THAT(refused.message, HasSubstr("262144 bytes"));
  EXPECT_EQ(extras().metadata("thr_a", "todo").value().dump(), R"({"b":{"c":2},"d":3})");
}

TEST_F(ThreadExtrasTest, FindsTitlesAndWhatWasSaid) {
  add("thr_a", {.title = "Über Nadeln"});
  add("thr_b");
  add("thr_c", {.hidden = true});
  say("thr_b", "client/turn/requested",
      R"({"initiator":"user","input":[{"type":"text","text":"Größe 𝒳 of a \"NADEL\" here"}]})");
  say("thr_b", "item/completed", R"({"item":{"type":"agentMessage","text":"no such thing"}})");
  say("thr_b", "item/completed", R"({"item":{"type":"toolCall","tool":"nadel"}})");
  say("thr_c", "item/completed", R"({"item":{"type":"agentMessage","text":"nadel"}})");
  const auto found = extras().search("nadel", 20).value();
  EXPECT_EQ(found["archived"]["total"].asInteger(-1), 0);
  const auto& results = found["active"]["results"].items();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["thread"]["id"].asString(), "thr_b");
  const auto& match = results[0]["matches"].items().at(0);
  EXPECT_EQ(match["sourceKind"].asString(), "user_message");
  EXPECT_EQ(match["sourceSeq"].asInteger(), 1);
  EXPECT_EQ(match["highlightRanges"].dump(), R"([{"start":15,"end":20}])");
  EXPECT_EQ(results[1]["matches"].items().at(0)["sourceKind"].asString(), "title");
  EXPECT_EQ(extras().search("üBER", 20).value()["active"]["total"].asInteger(), 1);
  const auto said = extras().search("GRÖSSE", 20).value();
  EXPECT_EQ(said["active"]["total"].asInteger(), 0) << "ß is no letter of two";
  EXPECT_EQ(extras().search("GRÖßE", 20).value()["active"]["results"].items().size(), 1U);
  EXPECT_EQ(extras().search("a \"nadel\"", 20).value()["active"]["total"].asInteger(), 1);
  ASSERT_TRUE(records_->archive({"thr_a"}).ok());
  EXPECT_EQ(extras().search("nadel", 20).value()["archived"]["total"].asInteger(), 1);
  EXPECT_EQ(extras().search("nadel", 0).value()["active"]["results"].items().size(), 0U);
}

}  // namespace
}  // namespace svc::threads
