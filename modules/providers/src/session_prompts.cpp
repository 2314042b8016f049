#include <utility>

#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/agents.h"
#include "svc/kernel/async.h"

#include "agent_prompt.h"
#include "sessions.h"

// What agents are asked.
namespace svc::providers {

using common::Json;

namespace {

/// A prompt with attachments, over a slow line.
constexpr auto kFilesWait = 4 * limits::kHostCall;

}  // namespace

void Sessions::prompt(const std::string& session, const std::string& turn_id,
                      const std::string& /*request_id*/, Json input, Completion<void> done) {
  onIo(
      [session, turn_id, input = std::move(input), done = std::move(done)](Sessions& self) mutable {
        self.beginPrompt(session, turn_id, std::move(input), std::move(done));
      });
}

/// Attachments are read on a worker, everything else is handed over at once.
void Sessions::beginPrompt(const std::string& session, const std::string& turn_id, Json input,
                           Completion<void> done) {
  auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(noSession());
  }
  entry->running = true;
  entry->prompted = true;
  entry->last_use = ++uses_;
  if (with_.attachments == nullptr || !hasFiles(input)) {
    return sendPrompt(session, turn_id, contentBlocks(input, entry->place), limits::kHostCall,
                      std::move(done));
  }
  entry->reading = turn_id;
  runOnWorker<Json>(
      with_.workers, with_.reactor,
      [&attachments = *with_.attachments, project_id = entry->project_id, place = entry->place,
       input = std::move(input)] {
        return Result<Json>(contentBlocks(input, place, [&](const std::string& path) {
          return attachments.content(project_id, path);
        }));
      },
      [weak = weak_from_this(), session, turn_id,
       done = std::move(done)](Result<Json> said) mutable {
        const auto self = weak.lock();
        auto* at = self ? self->find(session) : nullptr;
        if (at == nullptr || at->reading != turn_id) {
          return done(noSession());
        }
        at->reading.clear();
        if (!said) {
          at->running = false;
          return done(std::move(said).error());
        }
        self->sendPrompt(session, turn_id, std::move(said).value(), kFilesWait, std::move(done));
      });
}

void Sessions::sendPrompt(const std::string& session, const std::string& turn_id, Json said,
                          std::chrono::milliseconds wait, Completion<void> done) {
  auto* entry = find(session);
  if (entry == nullptr || entry->closed) {
    return done(noSession());
  }
  if (!entry->preamble.empty()) {
    auto blocks = Json::array();
    blocks.push(Json::object().set("type", "text").set("text", entry->preamble));
    for (const auto& block : said.items()) {
      blocks.push(block);
    }
    said = std::move(blocks);
  }
  const auto asked = command(hostprotocol::command::kAgentPrompt, session)
                         .set("turnId", turn_id)
                         .set("prompt", std::move(said));
  ask(entry->host_id, asked, wait,
      [weak = weak_from_this(), session,
       held = std::make_shared<Completion<void>>(std::move(done))](const Result<Json>& answer) {
        const auto self = weak.lock();
        if (auto* at = self ? self->find(session) : nullptr) {
          at->running = at->running && answer;
          if (answer) {
            at->preamble.clear();
          }
        }
        (*held)(answer ? Status() : Status(answer.error()));
      });
}

}  // namespace svc::providers
