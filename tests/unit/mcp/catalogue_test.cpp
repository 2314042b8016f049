#include "catalogue.h"

#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::Return;

class CatalogueTest : public ::testing::Test {
 protected:
  std::vector<ListKind> changes_;
  std::shared_ptr<Catalogue> catalogue_ = std::make_shared<Catalogue>(
      Catalogue::Listeners{.changed = [this](ListKind kind) { changes_.push_back(kind); },
                           .resource_updated = [](const std::string&) {}});
  std::shared_ptr<HandSource> first_ = std::make_shared<HandSource>();
  std::shared_ptr<HandSource> second_ =
      std::make_shared<HandSource>(R"({"tools":{"extra":1},"prompts":{},"extensions":{"x/y":{}}})");
};

TEST_F(CatalogueTest, JoinsCapabilities) {
  const auto one = catalogue_->add(first_);
  const auto two = catalogue_->add(second_);
  EXPECT_EQ(catalogue_->capabilities().dump(),
            R"({"tools":{"listChanged":true,"extra":1},"prompts":{},"extensions":{"x/y":{}}})");
}

TEST_F(CatalogueTest, TheFirstSourceHasAName) {
  first_->offers(ListKind::kTools, "b");
  second_->offers(ListKind::kTools, "b");
  second_->offers(ListKind::kTools, "a");
  auto one = catalogue_->add(first_);
  const auto two = catalogue_->add(second_);
  EXPECT_EQ(std::get<std::string>(catalogue_->page(ListKind::kTools, {}, "")),
            R"("tools":[{"name":"a"},{"name":"b"}])");
  EXPECT_EQ(catalogue_->find("tools/call", "b", {}).source, first_);
  EXPECT_EQ(catalogue_->knownTool("b", {}).source, first_);
  one.reset();
  EXPECT_EQ(catalogue_->knownTool("b", {}).source, nullptr);
  EXPECT_EQ(catalogue_->find("tools/call", "b", {}).source, second_);
}

TEST_F(CatalogueTest, WhatAThreadIsOfferedIsNotWhatOthersAre) {
  const auto one = catalogue_->add(first_);
  first_->offers(ListKind::kTools, "a");
  EXPECT_EQ(catalogue_->find("tools/call", "a", {.thread_id = "t"}).source, first_);
  EXPECT_EQ(catalogue_->knownTool("a", {}).source, nullptr);
}

TEST_F(CatalogueTest, WhoseAToolWasIsKnownFromAnEarlierProcess) {
  std::vector<ToolOwners> told;
  const auto again = std::make_shared<Catalogue>(
      Catalogue::Listeners{
          .changed = [](ListKind) {},
          .resource_updated = [](const std::string&) {},
          .owners_changed = [&told](const ToolOwners& owners) { told.push_back(owners); }},
      ToolOwners{{"add", "todo"}, {"note", "notes"}});
  const auto one = again->add(first_);
  first_->offers(ListKind::kTools, "write", "notes");
  first_->offers(ListKind::kTools, "builtin");
  again->readTools();
  again->readTools();
  EXPECT_EQ(again->formerOwner("add"), "todo");
  EXPECT_EQ(again->formerOwner("note"), "") << "its plugin runs without it";
  const ToolOwners known{{"add", "todo"}, {"write", "notes"}};
  EXPECT_EQ(told, std::vector{known}) << "told when it changes, and of plugins' tools alone";
}

TEST_F(CatalogueTest, SourcesThatComeAndGoChangeTheLists) {
  auto one = catalogue_->add(first_);
  EXPECT_EQ(changes_.size(), 3U);
  one.reset();
  EXPECT_EQ(changes_.size(), 6U);
}

TEST_F(CatalogueTest, InstructionsAreJoinedAndCutBetweenCharacters) {
  ON_CALL(*first_, instructions).WillByDefault(Return("One."));
  std::string long_text;
  while (long_text.size() < limits::kMcpInstructions) {
    long_text += "\xc3\xa4";
  }
  const auto one = catalogue_->add(first_);
  EXPECT_EQ(catalogue_->instructions({}), "One.");
  ON_CALL(*second_, instructions).WillByDefault(Return("Two."));
  const auto two = catalogue_->add(second_);
  EXPECT_EQ(catalogue_->instructions({}), "One.\n\nTwo.");
  ON_CALL(*second_, instructions).WillByDefault(Return(long_text));
  const auto cut = catalogue_->instructions({});
  EXPECT_LE(cut.size(), limits::kMcpInstructions);
  EXPECT_TRUE(common::isUtf8(cut));
}

}  // namespace
}  // namespace svc::mcp
