#include "terminal_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/terminals.h"
#include "svc/hostprotocol/base64.h"

#include "requests.h"

namespace svc::terminals {
namespace {

using common::BodyReader;
using common::Json;

std::string idOf(const http::ExchangePtr& exchange) {
  return std::string(exchange->request().parameter("terminalId"));
}

constexpr unsigned kOk = 200;
constexpr unsigned kCreated = 201;

void answer(const http::ExchangePtr& exchange, const Result<Json>& record, unsigned status = kOk) {
  if (!record) {
    exchange->fail(record.error());
    return;
  }
  http::Response response;
  response.status = status;
  response.body = Json::object().set("ok", true).set("terminal", record.value()).dump();
  exchange->respond(std::move(response));
}

/// The body, when it is fine; otherwise the exchange has failed.
template <class Read>
bool readBody(const http::ExchangePtr& exchange, Read read) {
  const auto& body = exchange->request().body;
  auto reader = BodyReader::parse(body.empty() ? std::string_view("{}") : std::string_view(body));
  if (!reader) {
    exchange->fail(reader.error());
    return false;
  }
  read(reader.value());
  if (auto status = reader.value().finish(); !status) {
    exchange->fail(status.error());
    return false;
  }
  return true;
}

}  // namespace

Status TerminalRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* name;
    void (TerminalRoutes::*handle)(const http::ExchangePtr& exchange);
  };
  static constexpr std::array<Entry, 8> kEntries{{
      {"GET", "", &TerminalRoutes::list},
      {"POST", "", &TerminalRoutes::create},
      {"GET", "/:terminalId/output", &TerminalRoutes::output},
      {"POST", "/:terminalId/close", &TerminalRoutes::close},
      {"POST", "/:terminalId/input", &TerminalRoutes::input},
      {"POST", "/:terminalId/resize", &TerminalRoutes::resize},
      {"POST", "/:terminalId/rename", &TerminalRoutes::rename},
      {"POST", "/:terminalId/restart", &TerminalRoutes::restart},
  }};
  const auto add = [&](const char* method, const std::string& name,
                       http::Handler handler) -> Status {
    auto route =
        server.route({.method = method, .pattern = "/api/v1/terminals" + name}, std::move(handler));
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
    return {};
  };
  for (const auto& entry : kEntries) {
    if (auto added = add(entry.method, entry.name,
                         [this, handle = entry.handle](const http::ExchangePtr& exchange) {
                           (this->*handle)(exchange);
                         });
        !added) {
      return added;
    }
  }
  return add("GET", "/:terminalId", [this](const http::ExchangePtr& exchange) {
    answer(exchange, book_->get(idOf(exchange)));
  });
}

void TerminalRoutes::list(const http::ExchangePtr& exchange) {
  const auto text = [&exchange](std::string_view name) {
    return exchange->request().queryParameter(name).value_or(std::string{});
  };
  http::Response response;
  response.body = Json::object()
                      .set("ok", true)
                      .set("sessions", book_->list({.kind = text("kind"),
                                                    .host_id = text("hostId"),
                                                    .cwd = text("cwd"),
                                                    .thread_id = text("threadId"),
                                                    .environment_id = text("environmentId")}))
                      .dump();
  exchange->respond(std::move(response));
}

void TerminalRoutes::create(const http::ExchangePtr& exchange) {
  auto wanted = readNewTerminal(exchange->request().body, registry_, find_place_);
  if (!wanted) {
    exchange->fail(wanted.error());
    return;
  }
  book_->create(std::move(wanted).value(),
                [exchange](const Result<Json>& record) { answer(exchange, record, kCreated); });
}

void TerminalRoutes::output(const http::ExchangePtr& exchange) {
  const auto query = readOutputQuery(exchange->request());
  if (!query) {
    exchange->fail(query.error());
    return;
  }
  book_->output(idOf(exchange), query.value(), [exchange](Result<std::string> body) {
    if (!body) {
      exchange->fail(body.error());
      return;
    }
    http::Response response;
    response.headers.push_back({"cache-control", "no-store"});
    response.body = std::move(body).value();
    exchange->respond(std::move(response));
  });
}

void TerminalRoutes::close(const http::ExchangePtr& exchange) {
  std::string mode = "if-clean";
  if (!readBody(exchange, [&mode](BodyReader& reader) {
        mode = reader.optionalString("mode").value_or(mode);
        if (mode != "force" && mode != "if-clean") {
          reader.issue("Expected \"force\" or \"if-clean\"", {Json("mode")});
        }
      })) {
    return;
  }
  book_->close(idOf(exchange), mode == "force",
               [exchange](const Result<Json>& record) { answer(exchange, record); });
}

void TerminalRoutes::input(const http::ExchangePtr& exchange) {
  std::string bytes;
  if (!readBody(exchange, [&bytes](BodyReader& reader) {
        auto decoded = hostprotocol::decodeBase64(reader.requiredString("dataBase64"));
        if (!decoded) {
          reader.issue("Expected Base64 with its padding", {Json("dataBase64")});
        }
        bytes = std::move(decoded).value_or(std::string{});
      })) {
    return;
  }
  if (bytes.size() > limits::kTerminalInput) {
    exchange->fail({errc::kTooLarge, fmt::format("the input has {} bytes (limit terminalInput: {})",
                                                 bytes.size(), limits::kTerminalInput)});
    return;
  }
  answer(exchange, book_->input(idOf(exchange), bytes));
}

void TerminalRoutes::resize(const http::ExchangePtr& exchange) {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  if (readBody(exchange, [&](BodyReader& reader) { readSize(reader, columns, rows); })) {
    answer(exchange, book_->resize(idOf(exchange), columns, rows));
  }
}

void TerminalRoutes::rename(const http::ExchangePtr& exchange) {
  std::string title;
  if (readBody(exchange, [&title](BodyReader& reader) { title = readTitle(reader); })) {
    answer(exchange, book_->rename(idOf(exchange), std::move(title)));
  }
}

void TerminalRoutes::restart(const http::ExchangePtr& exchange) {
  book_->restart(idOf(exchange),
                 [exchange](const Result<Json>& record) { answer(exchange, record, kCreated); });
}

}  // namespace svc::terminals
