#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "catalogue.h"
#include "mocks/mock_host_commands.h"
#include "mocks/mock_host_registry.h"
#include "mocks/mock_reactor.h"
#include "outfit.h"
#include "sessions.h"

namespace svc::providers {

using common::Json;

/// What the server tells machines, as text.
class ToldMessages final : public hosts::IHostMessages {
 public:
  void tell(const std::string& /*host_id*/, std::string message) override {
    told.push_back(Json::parse(message).value());
  }
  Handle listen(hosts::IHostListener& /*listener*/) override { return Handle(); }

  std::vector<Json> told;
};

/// Gives every agent the same, and shows what was let go.
class PlainOutfitter final : public IOutfitter {
 public:
  void prepare(const SessionRequest& /*request*/, Completion<Outfit> done) override {
    if (failure) {
      return done(*failure);
    }
    Outfit outfit;
    outfit.instructions = "Be kind.";
    outfit.sent_skills = skills;
    outfit.on_server = on_server;
    outfit.kept.emplace_back([this] { ++let_go; });
    outfit.abort_calls = [this](bool all) { aborted.push_back(all); };
    outfit.renew = [this](const Json& /*execution*/, const agents::AgentContext& context,
                          Completion<void> renewed) {
      asked_again.push_back(context.thread.title);
      renewed({});
    };
    done(std::move(outfit));
  }

  std::optional<Error> failure;
  bool on_server = true;
  std::vector<SentSkill> skills;
  int let_go = 0;
  std::vector<bool> aborted;             ///< how open calls were: with those that go on, or without
  std::vector<std::string> asked_again;  ///< plugins, by the title of the thread
};

/// One file that was attached in one project.
class OneAttachment final : public projects::IAttachments {
 public:
  Result<projects::AttachmentContent> content(const std::string& project_id,
                                              std::string_view path) const override {
    if (project_id != "proj_a" || path != "/data/a-cat.png") {
      return Error{errc::kNotFound, "no attachment"};
    }
    return projects::AttachmentContent{.bytes = "cat", .image_type = "image/png"};
  }
};

/// Jobs wait until the test runs them.
class HeldWorkers final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    jobs.push_back(std::move(job));
    return true;
  }
  void run() {
    for (auto& job : std::exchange(jobs, {})) {
      job();
    }
  }

  std::vector<Task> jobs;
};

/// Sessions with agents of the machine "host_a", which the test plays; a thread that takes every event, unless the test says so.
class SessionsFixture : public ::testing::Test {
 protected:
  struct Asked {
    Json command;
    Completion<std::string> done;
  };

  SessionsFixture() {
    const machines::Host own{
        .id = "host_a", .name = "server", .is_server = true, .connected = true};
    ON_CALL(machines_, list).WillByDefault(::testing::Return(std::vector<machines::Host>{own}));
    ON_CALL(machines_, find(::testing::_))
        .WillByDefault([own](std::string_view id) -> std::optional<machines::Host> {
          return id == own.id ? std::optional(own) : std::nullopt;
        });
    ON_CALL(commands_, send)
        .WillByDefault([this](const std::string& /*host_id*/, const std::string& command,
                              std::chrono::milliseconds /*wait*/, Completion<std::string> done) {
          asked_.push_back({Json::parse(command).value(), std::move(done)});
        });
    catalogue_ =
        std::make_shared<Catalogue>(Catalogue::With{.commands = commands_,
                                                    .machines = machines_,
                                                    .declared = [this] { return declared_; },
                                                    .changed = [this] { ++changes_; }});
    sessions_ = std::make_shared<Sessions>(Sessions::With{.reactor = io_,
                                                          .commands = commands_,
                                                          .messages = messages_,
                                                          .machines = machines_,
                                                          .catalogue = catalogue_,
                                                          .outfitter = outfitter_,
                                                          .workers = workers_,
                                                          .attachments = &attachments_});
    listening_ = sessions_->onEvent([this](const AgentEvent& event, Completion<void> taken) {
      heard_.push_back(event);
      if (holding_) {
        held_.push_back(std::move(taken));
      } else {
        taken(refusing_ ? Status(Error{errc::kUnavailable, "the disk is full"}) : Status());
      }
    });
  }

  /// The command that was asked last, answered.
  void answer(const std::string& json) {
    ASSERT_FALSE(asked_.empty());
    auto last = std::move(asked_.back());
    asked_.pop_back();
    last.done(json);
    io_.runAll();
  }
  void refuse(Errc code, const std::string& message = "no") {
    ASSERT_FALSE(asked_.empty());
    auto last = std::move(asked_.back());
    asked_.pop_back();
    last.done(Error{code, message});
    io_.runAll();
  }
  [[nodiscard]] std::string lastType() const {
    return asked_.empty() ? std::string() : asked_.back().command["type"].asString();
  }
  SessionRequest request(const std::string& session = "ses_1") const {
    return {.session = session,
            .thread_id = "thr_1",
            .provider_id = "scripted",
            .host_id = "host_a",
            .cwd = "/work"};
  }
  /// A session whose agent waits for prompts.
  void open(SessionRequest wanted, const std::string& prompt_capabilities = "null") {
    sessions_->open(std::move(wanted),
                    [this](Result<OpenSession> opened) { opened_ = std::move(opened); });
    io_.runAll();
    if (lastType() == "agent.open") {
      answer(R"({"providerThreadId":"acp","started":"new","promptCapabilities":)" +
             prompt_capabilities + "}");
    }
  }
  std::optional<Status> prompt(const std::string& session = "ses_1") {
    std::optional<Status> out;
    auto input = Json::array();
    input.push(Json::object().set("type", "text").set("text", "hello"));
    sessions_->prompt(session, "turn_1", "req_1", std::move(input),
                      [&out](Status status) { out = std::move(status); });
    io_.runAll();
    prompted_ = asked_.empty() ? Json() : asked_.back().command;
    if (lastType() == "agent.prompt") {
      answer("{}");
    }
    return out;
  }
  /// `events`: the texts of objects.
  void say(const std::vector<std::string>& events, const std::string& session = "ses_1") {
    std::string joined;
    for (const auto& event : events) {
      joined += (joined.empty() ? "" : ",") + event;
    }
    sessions_->hostMessage("host_a", "agent.events",
                           R"({"type":"agent.events","sessionId":")" + session +
                               R"(","threadId":"thr_1","events":[)" + joined + "]}");
    io_.runAll();
  }
  static std::string event(int seq, const std::string& type, const std::string& data = "{}") {
    return R"({"seq":)" + std::to_string(seq) + R"(,"at":1,"turnId":"turn_1","type":")" + type +
           R"(","data":)" + data + "}";
  }
  [[nodiscard]] std::vector<std::int64_t> numbers() const {
    std::vector<std::int64_t> out;
    for (const auto& each : heard_) {
      out.push_back(each.seq);
    }
    return out;
  }
  /// The numbers that the machine was told are stored.
  [[nodiscard]] std::vector<std::int64_t> acknowledged() const {
    std::vector<std::int64_t> out;
    for (const auto& each : messages_.told) {
      out.push_back(each["seq"].asInteger());
    }
    return out;
  }

  svc::test::FakeReactor io_;
  ::testing::NiceMock<hosts::MockHostCommands> commands_;
  ::testing::NiceMock<machines::MockHostRegistry> machines_;
  ToldMessages messages_;
  HeldWorkers workers_;
  OneAttachment attachments_;
  std::shared_ptr<PlainOutfitter> outfitter_ = std::make_shared<PlainOutfitter>();
  std::shared_ptr<Catalogue> catalogue_;
  std::shared_ptr<Sessions> sessions_;
  Handle listening_;
  std::vector<std::pair<std::string, Json>> declared_;
  std::vector<Asked> asked_;
  std::vector<AgentEvent> heard_;
  std::vector<Completion<void>> held_;
  bool holding_ = false;
  bool refusing_ = false;
  int changes_ = 0;
  Json prompted_;
  std::optional<Result<OpenSession>> opened_;
};

}  // namespace svc::providers
