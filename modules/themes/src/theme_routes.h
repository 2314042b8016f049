#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/http/http.h"

#include "theme_choice.h"
#include "theme_shelf.h"

namespace svc::themes {

/// GET and PUT /api/v1/theme, GET /api/v1/themes, GET /api/v1/themes/:id/theme.css. Requests arrive on the io thread and are
/// answered on a worker. The two collaborators outlive the routes.
class ThemeRoutes {
 public:
  /// `announce`: windows ask again. Any thread.
  ThemeRoutes(IWorkerPool& workers, ThemeShelf& shelf, ThemeChoices& choices,
              std::function<void()> announce)
      : state_(std::make_shared<State>(shelf, choices, std::move(announce))), workers_(workers) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);
  /// What plugins offer may have changed: announces when the sheet in force is another one. Any thread.
  void refresh();

 private:
  struct State {
    State(ThemeShelf& themes, ThemeChoices& chosen, std::function<void()> tell)
        : shelf(themes), choices(chosen), announce(std::move(tell)) {}
    ThemeShelf& shelf;
    ThemeChoices& choices;
    std::function<void()> announce;
    std::mutex mutex;
    std::string in_force;  ///< hash of the sheet; empty = none
  };
  using Job = void (*)(State& state, http::IExchange& exchange);

  static void show(State& state, http::IExchange& exchange);
  static void list(State& state, http::IExchange& exchange);
  static void choose(State& state, http::IExchange& exchange);
  static void sheet(State& state, http::IExchange& exchange);

  std::shared_ptr<State> state_;
  IWorkerPool& workers_;
  std::vector<Handle> routes_;
};

/// The choice with what it leads to now.
[[nodiscard]] common::Json activeJson(const ThemeChoice& choice, const Result<Theme>& theme);

}  // namespace svc::themes
