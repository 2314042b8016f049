#include "theme_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/envelope.h"

namespace svc::themes {
namespace {

using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// ':' is the only character of an id that is written otherwise in a path.
std::string pathSegment(std::string_view id) {
  std::string out;
  for (const char c : id) {
    if (c == ':') {
      out += "%3A";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

Json cssUrl(const Theme& theme) {
  return theme.css ? Json(fmt::format("/api/v1/themes/{}/theme.css?h={}", pathSegment(theme.id),
                                      theme.css->hash))
                   : Json();
}

Json codeTheme(const Theme& theme) {
  if (theme.code_dark.empty() && theme.code_light.empty()) {
    return {};
  }
  auto out = Json::object();
  if (!theme.code_dark.empty()) {
    out.set("dark", theme.code_dark);
  }
  if (!theme.code_light.empty()) {
    out.set("light", theme.code_light);
  }
  return out;
}

Json entryJson(const Theme& theme) {
  return Json::object()
      .set("id", theme.id)
      .set("name", theme.name)
      .set("description", orNull(theme.description))
      .set("kind", theme.kind)
      .set("pluginId", orNull(theme.plugin_id))
      .set("cssUrl", cssUrl(theme))
      .set("codeTheme", codeTheme(theme));
}

Json catalogJson(Json active, const Themes& all, const std::filesystem::path& directory) {
  auto themes = Json::array();
  auto custom = Json::array();
  auto of_plugins = Json::array();
  auto problems = Json::array();
  for (const auto& theme : all.themes) {
    themes.push(entryJson(theme));
    if (theme.kind == "custom") {
      custom.push(theme.id);
    } else if (theme.kind == "plugin") {
      of_plugins.push(Json::object()
                          .set("id", theme.id)
                          .set("pluginId", theme.plugin_id)
                          .set("name", theme.name)
                          .set("description", orNull(theme.description)));
    }
  }
  for (const auto& problem : all.problems) {
    problems.push(Json::object().set("id", problem.id).set("message", problem.message));
  }
  return Json::object()
      .set("active", std::move(active))
      .set("dir", directory.string())
      .set("themes", std::move(themes))
      .set("custom", std::move(custom))
      .set("plugins", std::move(of_plugins))
      .set("problems", std::move(problems));
}

std::string hashOf(const Result<Theme>& theme) {
  return theme && theme.value().css ? theme.value().css->hash : std::string();
}

void respondOk(http::IExchange& exchange, const Json& members) {
  exchange.respond(
      {.headers = {{"cache-control", "no-store"}}, .body = common::okEnvelope(members)});
}

/// A failure must not be kept: the sheet may be there after the next load.
void refuseSheet(http::IExchange& exchange, std::string message) {
  const Error error{errc::kUnknownAsset, std::move(message)};
  exchange.respond({.status = common::httpStatus(error.code),
                    .headers = {{"cache-control", "no-store"}},
                    .body = common::errorEnvelope(error)});
}

/// The choice that `text` asks for; an absent colour keeps the present one.
Result<ThemeChoice> readChange(const std::string& text, ThemeChoice choice,
                               const ThemeShelf& shelf) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  choice.theme_id = body.requiredString("themeId");
  if (const auto* color = body.body().find("faviconColor")) {
    choice.favicon_color.reset();
    if (color->isString() && isColor(color->asString())) {
      choice.favicon_color = color->asString();
    } else if (!color->isNull() && color->asString() != kNoColor) {
      body.issue(
          "Expected a colour such as \"#3b5bdb\", one of default, blue, green, orange, pink, "
          "purple, "
          "red, teal and yellow, or null",
          {Json("faviconColor")});
    }
  }
  if (!choice.theme_id.empty()) {
    if (const auto theme = shelf.find(choice.theme_id); !theme) {
      body.issue(
          fmt::format("There is no theme \"{}\": {}", choice.theme_id, theme.error().message),
          {Json("themeId")});
    }
  } else if (body.body()["themeId"].isString()) {
    body.issue("Expected the id of a theme", {Json("themeId")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return choice;
}

}  // namespace

Json activeJson(const ThemeChoice& choice, const Result<Theme>& theme) {
  auto out = toJson(choice);
  return out.set("name", theme ? theme.value().name : choice.theme_id)
      .set("cssUrl", theme ? cssUrl(theme.value()) : Json())
      .set("codeTheme", theme ? codeTheme(theme.value()) : Json())
      .set("available", theme.ok())
      .set("problem", theme ? Json() : Json(theme.error().message));
}

Status ThemeRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    Job job;
  };
  for (const auto& entry : {Entry{"GET", "/api/v1/theme", &ThemeRoutes::show},
                            Entry{"PUT", "/api/v1/theme", &ThemeRoutes::choose},
                            Entry{"GET", "/api/v1/themes", &ThemeRoutes::list},
                            Entry{"GET", "/api/v1/themes/:id/theme.css", &ThemeRoutes::sheet}}) {
    auto route = server.route(
        {.method = entry.method, .pattern = entry.pattern},
        [state = state_, &workers = workers_, job = entry.job](const http::ExchangePtr& exchange) {
          if (!workers.submit([state, exchange, job] { job(*state, *exchange); })) {
            exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
          }
        });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void ThemeRoutes::refresh() {
  // A full queue loses nothing: the next change asks again, and windows ask when they connect.
  (void)workers_.submit([state = state_] {
    const auto hash = hashOf(state->shelf.find(state->choices.get().theme_id));
    {
      const std::scoped_lock lock(state->mutex);
      if (std::exchange(state->in_force, hash) == hash) {
        return;
      }
    }
    state->announce();
  });
}

void ThemeRoutes::show(State& state, http::IExchange& exchange) {
  const auto choice = state.choices.get();
  respondOk(exchange,
            Json::object().set("theme", activeJson(choice, state.shelf.find(choice.theme_id))));
}

void ThemeRoutes::list(State& state, http::IExchange& exchange) {
  const auto choice = state.choices.get();
  respondOk(exchange, catalogJson(activeJson(choice, state.shelf.find(choice.theme_id)),
                                  state.shelf.all(), state.shelf.directory()));
}

void ThemeRoutes::choose(State& state, http::IExchange& exchange) {
  const auto before = state.choices.get();
  const auto choice = readChange(exchange.request().body, before, state.shelf);
  if (!choice) {
    exchange.fail(choice.error());
    return;
  }
  if (choice.value() != before) {
    if (const auto stored = state.choices.set(choice.value()); !stored) {
      exchange.fail(stored.error());
      return;
    }
  }
  const auto theme = state.shelf.find(choice.value().theme_id);
  {
    const std::scoped_lock lock(state.mutex);
    state.in_force = hashOf(theme);
  }
  respondOk(exchange, Json::object().set("theme", activeJson(choice.value(), theme)));
  if (choice.value() != before) {
    state.announce();
  }
}

void ThemeRoutes::sheet(State& state, http::IExchange& exchange) {
  const auto& request = exchange.request();
  const auto theme = state.shelf.find(std::string(request.parameter("id")));
  if (!theme || !theme.value().css) {
    refuseSheet(exchange, theme ? "the built-in theme has no sheet" : theme.error().message);
    return;
  }
  const auto& css = *theme.value().css;
  const auto wanted = request.queryParameter("h");
  if (wanted && *wanted != css.hash) {
    refuseSheet(
        exchange,
        fmt::format(R"(the sheet with the hash "{}" is not there; the present one has "{}")",
                    *wanted, css.hash));
    return;
  }
  const auto etag = fmt::format("\"{}\"", css.hash);
  http::Response response;
  response.content_type = css.content_type;
  response.headers = {
      {"etag", etag},
      {"cache-control", wanted ? "public, max-age=31536000, immutable" : "no-cache"},
      {"x-content-type-options", "nosniff"}};
  const auto* known = request.header("if-none-match");
  if (known != nullptr && known->find(etag) != std::string::npos) {
    response.status = 304;
  } else {
    response.body = css.bytes;
  }
  exchange.respond(std::move(response));
}

}  // namespace svc::themes
