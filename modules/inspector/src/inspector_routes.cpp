#include "inspector_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/json.h"

namespace svc::inspector {
namespace {

using common::Json;

constexpr std::int64_t kLongestProfile = 60;  // seconds
constexpr std::int64_t kDefaultProfile = 5;
constexpr std::size_t kPiece = std::size_t{256} * 1024;

/// Calls `function` in the plugin the request names; a failure is answered here.
void callPlugin(plugins::ILoadedPlugins& loaded, const http::ExchangePtr& exchange,
                script::Invocation invocation,
                std::function<void(Result<std::string> answer)> then) {
  invocation.stop = exchange->disconnected();
  const std::string id(exchange->request().parameter("id"));
  loaded.acquire(id, [invocation = std::move(invocation),
                      then = std::move(then)](Result<plugins::GenerationPtr> generation) mutable {
    if (!generation) {
      then(std::move(generation).error());
      return;
    }
    generation.value()->invoke("", std::move(invocation), std::move(then));
  });
}

void respond(http::IExchange& exchange, const Json& members) {
  exchange.respond(
      {.headers = {{"cache-control", "no-store"}}, .body = common::okEnvelope(members)});
}

/// Answers with the members that `make` takes from the JSON the plugin's environment gave.
std::function<void(Result<std::string>)> answering(const http::ExchangePtr& exchange,
                                                   std::function<Json(const Json&)> make) {
  return [exchange, make = std::move(make)](Result<std::string> answer) {
    if (!answer) {
      exchange->fail(answer.error());
      return;
    }
    const auto json = Json::parse(answer.value());
    respond(*exchange, make(json ? json.value() : Json()));
  };
}

Json addresses(const Json& opened) {
  const auto& url = opened["url"].asString();
  constexpr std::string_view kScheme = "ws://";
  const auto address = url.starts_with(kScheme) ? url.substr(kScheme.size()) : url;
  return Json::object()
      .set("url", url)
      .set("devtoolsUrl", "devtools://devtools/bundled/js_app.html?v8only=true&ws=" + address);
}

Result<std::int64_t> secondsOf(const std::string& body) {
  if (body.empty()) {
    return kDefaultProfile;
  }
  const auto json = Json::parse(body);
  if (!json) {
    return Error{errc::kInvalidJson, "the request body is not JSON: " + json.error().message};
  }
  const auto& seconds = json.value()["seconds"];
  if (seconds.isNull()) {
    return kDefaultProfile;
  }
  if (!seconds.isInteger() || seconds.asInteger() < 1 || seconds.asInteger() > kLongestProfile) {
    return Error{errc::kInvalidInput,
                 fmt::format("seconds: expected a whole number from 1 to {}, got {}",
                             kLongestProfile, seconds.dump())};
  }
  return seconds.asInteger();
}

/// Sends a finished snapshot piece by piece, each read on a worker when the client has taken the one before.
class Delivery : public std::enable_shared_from_this<Delivery> {
 public:
  Delivery(http::ExchangePtr exchange, std::shared_ptr<SnapshotFile> file, IWorkerPool& workers)
      : exchange_(std::move(exchange)), file_(std::move(file)), workers_(workers) {}

  void start() {
    exchange_->begin({.content_type = "application/json; charset=utf-8",
                      .headers = {{"cache-control", "no-store"}}});
    next();
  }

 private:
  void next() {
    if (!workers_.submit([self = shared_from_this()] { self->sendPiece(); })) {
      exchange_->abort();
    }
  }

  void sendPiece() {
    auto piece = file_->read(sent_, kPiece);
    if (!piece) {
      exchange_->abort();
    } else if (piece.value().empty()) {
      exchange_->finish();
    } else {
      sent_ += piece.value().size();
      exchange_->write(std::move(piece).value(),
                       [self = shared_from_this()](const Result<void>& taken) {
                         if (taken) {
                           self->next();
                         }
                       });
    }
  }

  http::ExchangePtr exchange_;
  std::shared_ptr<SnapshotFile> file_;
  IWorkerPool& workers_;
  std::uint64_t sent_ = 0;
};

}  // namespace

Status InspectorRoutes::attach(http::IHttpServer& server) {
  using Member = void (InspectorRoutes::*)(const http::ExchangePtr&);
  struct Entry {
    const char* method;
    const char* pattern;
    Member member;
  };
  for (const auto& entry :
       {Entry{"POST", "/api/v1/plugins/:id/inspector", &InspectorRoutes::open},
        Entry{"DELETE", "/api/v1/plugins/:id/inspector", &InspectorRoutes::close},
        Entry{"POST", "/api/v1/plugins/:id/profile", &InspectorRoutes::profile},
        Entry{"POST", "/api/v1/plugins/:id/heap-snapshot", &InspectorRoutes::heap}}) {
    auto route = server.route({.method = entry.method, .pattern = entry.pattern},
                              [this, member = entry.member](const http::ExchangePtr& exchange) {
                                (this->*member)(exchange);
                              });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void InspectorRoutes::open(const http::ExchangePtr& exchange) {
  callPlugin(loaded_, exchange, {.function = "inspector.open", .meta = "", .body = ""},
             answering(exchange, addresses));
}

void InspectorRoutes::close(const http::ExchangePtr& exchange) {
  callPlugin(loaded_, exchange, {.function = "inspector.close", .meta = "", .body = ""},
             answering(exchange, [](const Json& json) { return json; }));
}

void InspectorRoutes::profile(const http::ExchangePtr& exchange) {
  const auto seconds = secondsOf(exchange->request().body);
  if (!seconds) {
    exchange->fail(seconds.error());
    return;
  }
  const auto meta = Json::object().set("seconds", seconds.value()).dump();
  callPlugin(loaded_, exchange, {.function = "inspector.profile", .meta = meta, .body = ""},
             [exchange](Result<std::string> profile) {
               if (!profile) {
                 exchange->fail(profile.error());
                 return;
               }
               respond(*exchange,
                       Json::object().set("profile",
                                          Json::raw(common::RawJson(std::move(profile).value()))));
             });
}

void InspectorRoutes::heap(const http::ExchangePtr& exchange) {
  const bool queued =
      workers_.submit([exchange, snapshots = snapshots_, &loaded = loaded_, &workers = workers_] {
        auto opened = snapshots->open();
        if (!opened) {
          exchange->fail(opened.error());
          return;
        }
        auto& number = opened.value().first;
        callPlugin(loaded, exchange, {.function = "inspector.heap", .meta = number, .body = ""},
                   [exchange, snapshots, number, file = opened.value().second,
                    &workers](const Result<std::string>& answer) {
                     snapshots->close(number);
                     if (!answer) {
                       exchange->fail(answer.error());
                       return;
                     }
                     std::make_shared<Delivery>(exchange, file, workers)->start();
                   });
      });
  if (!queued) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

}  // namespace svc::inspector
