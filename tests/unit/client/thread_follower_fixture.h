#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app.h"
#include "client_fixture.h"
#include "threads/thread_follower.h"

namespace svc::client {

/// A server with one thread, as its routes show it.
class ThreadServer final : public IHttpClient {
 public:
  Result<HttpResponse> send(const HttpRequest& request) override {
    if (down) {
      return Error{errc::kUnavailable, "nothing answers"};
    }
    requests.push_back(request.method + " " + request.target + " " + request.body);
    const auto& target = request.target;
    if (target.find("/threads/thr_1") != std::string::npos &&
        (target.find("/events") == std::string::npos ? deleted : log_deleted)) {
      return HttpResponse{404,
                          R"({"ok":false,"error":{"code":"not_found","message":"there is none"}})"};
    }
    if (request.method == "POST") {
      if (target.ends_with("/resolve")) {
        interactions = "[]";
        if (on_answer) {
          on_answer();
        }
        return HttpResponse{200, R"({"ok":true,"interaction":{}})"};
      }
      return target.ends_with("/send") || target.ends_with("/retry") ? HttpResponse{200, sent}
                                                                     : HttpResponse{201, made};
    }
    if (target.ends_with("/threads/thr_1") || target.ends_with("/queued-messages")) {
      return HttpResponse{200, R"({"ok":true,"thread":{"id":"thr_1","status":")" + status +
                                   R"(","archivedAt":)" + archived_at + R"(},"queuedMessages":[)" +
                                   queue + "]}"};
    }
    if (target.ends_with("/interactions")) {
      return HttpResponse{200, R"({"ok":true,"interactions":)" + interactions + "}"};
    }
    if (target.starts_with("/api/v1/projects")) {
      return HttpResponse{200, R"({"ok":true,"projects":[{"id":"p","name":"shop","sources":[]}]})"};
    }
    return HttpResponse{200, R"({"ok":true,"events":[)" + eventsFor(target) + "]}"};
  }

  void log(const std::string& type, const std::string& data) {
    events.push_back(
        fmt::format(R"({{"seq":{},"type":"{}","data":{}}})", events.size() + 1, type, data));
  }

  std::vector<std::string> events;
  std::vector<std::string> requests;
  std::string interactions = "[]";
  std::string status = "active";
  std::string queue;
  std::string sent;
  std::string made = R"({"ok":true,"thread":{"id":"thr_1","providerId":"a"}})";
  std::function<void()> on_answer;
  std::string archived_at = "null";
  bool down = false;
  bool deleted = false;
  bool log_deleted = false;

 private:
  std::string eventsFor(const std::string& target) const {
    const auto at = target.find("afterSeq=");
    std::string out;
    if (target.find("order=desc") != std::string::npos) {
      const bool requests_only = target.find("types=") != std::string::npos;
      for (auto each = events.rbegin(); each != events.rend(); ++each) {
        if (!requests_only || each->find("client/turn/requested") != std::string::npos) {
          out += (out.empty() ? "" : ",") + *each;
        }
      }
      return out;
    }
    const auto after = at == std::string::npos ? 0 : std::stoul(target.substr(at + 9));
    for (auto seq = after; seq < events.size(); ++seq) {
      out += (out.empty() ? "" : ",") + events[seq];
    }
    return out;
  }
};

/// What happens, one thing after the other. Each may change the server before it is told.
struct Happening {
  std::function<void()> before{};
  ThreadNews news{.kind = ThreadNews::Kind::kChanged};
};

class PlayedThread final : public ILiveThread {
 public:
  PlayedThread(std::deque<Happening>& play, ThreadServer& server, int& connections,
               std::vector<bool>& wanted)
      : play_(play), server_(server), connections_(connections), wanted_(wanted) {}
  Status connect(const ServerAddress& /*address*/) override {
    if (server_.down) {
      return Error{errc::kUnavailable, "nothing answers"};
    }
    ++connections_;
    return {};
  }
  ThreadNews next(bool want_line, std::chrono::milliseconds /*patience*/) override {
    wanted_.push_back(want_line);
    if (play_.empty()) {
      return {.kind = ThreadNews::Kind::kInterrupted};  // a test that waits for more ends
    }
    const auto happening = play_.front();
    play_.pop_front();
    if (happening.before) {
      happening.before();
    }
    return happening.news;
  }

 private:
  std::deque<Happening>& play_;
  ThreadServer& server_;
  int& connections_;
  std::vector<bool>& wanted_;
};

class ThreadFollowerTest : public ClientTest {
 protected:
  int runWords(std::vector<std::string> words, bool terminal = false) {
    auto made = context();
    made.console.in_terminal = terminal;
    made.connector = [this](const std::string&) -> Result<std::unique_ptr<IHttpClient>> {
      struct ToServer final : IHttpClient {
        explicit ToServer(ThreadServer& to) : server(to) {}
        Result<HttpResponse> send(const HttpRequest& request) override {
          return server.send(request);
        }
        ThreadServer& server;
      };
      return Result<std::unique_ptr<IHttpClient>>(std::make_unique<ToServer>(server));
    };
    made.live_thread = [this](const std::string& id) {
      followed = id;
      return std::make_unique<PlayedThread>(play, server, connections, wanted);
    };
    return run(made, std::move(words));
  }
  int start(bool terminal = false) {
    return runWords({"thread", "start", "fix it", "--project", "shop", "--follow"}, terminal);
  }
  Happening logs(const std::string& type, const std::string& data) {
    return {[this, type, data] { server.log(type, data); }, {.kind = ThreadNews::Kind::kChanged}};
  }
  Happening asked(const std::string& interaction) {
    return {[this, interaction] {
              server.interactions = "[" + interaction + "]";
              server.log("system/permissionGrant/lifecycle", R"({"status":"pending"})");
            },
            {.kind = ThreadNews::Kind::kChanged}};
  }
  static Happening typed(const std::string& line) {
    return {{}, {.kind = ThreadNews::Kind::kLine, .metadata = {}, .line = line}};
  }
  void begin() {
    server.log("client/turn/requested",
               R"({"requestId":"req_1","input":[{"type":"text","text":"fix it"}]})");
    server.log("turn/started", R"({"turnId":"turn_1"})");
  }
  Happening completes() {
    return logs("turn/completed", R"({"turnId":"turn_1","status":"completed"})");
  }

  ThreadServer server;
  std::deque<Happening> play;
  int connections = 0;
  std::vector<bool> wanted;
  std::string followed;
};

}  // namespace svc::client
