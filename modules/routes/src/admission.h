#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "svc/http/http.h"
#include "svc/kernel/unique_function.h"
#include "svc/plugins/plugins.h"

#include "load_state.h"
#include "tokens.h"

namespace svc::routes {

/// Where the routes of plugins are mounted.
inline constexpr std::string_view kMount = "/api/v1/plugins/:id/http/*";

/// Finds the route of a request and checks its sender: the plugin, the route, who may call it. After a check that took
/// time the route is looked up again. Thread-safe.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  enum class Kind : bool { kRequest, kWebSocket };
  struct Outcome {
    std::optional<Error> refusal{};
    std::string allow{};  ///< methods the path has, with an `unknown_route`
    // The rest is set without a refusal.
    plugins::GenerationPtr generation{};  ///< a lease: not to be kept
    LoadStatePtr load{};
    std::string key{};
    Auth auth = Auth::kLocal;
  };
  using Done = UniqueFunction<void(Outcome outcome)>;

  Admission(http::IHttpServer& server, plugins::ILoadedPlugins& loaded,
            std::shared_ptr<Loads> loads, std::shared_ptr<Tokens> tokens)
      : server_(server), loaded_(loaded), loads_(std::move(loads)), tokens_(std::move(tokens)) {}

  /// `done` fires once, on any thread.
  void admit(std::shared_ptr<const http::Request> request, Kind kind, Done done);

 private:
  struct Attempt;
  using AttemptPtr = std::shared_ptr<Attempt>;

  void lookUp(const AttemptPtr& attempt);
  void found(const AttemptPtr& attempt, const Result<plugins::GenerationPtr>& generation);
  void foundAgain(const AttemptPtr& attempt, const Result<plugins::GenerationPtr>& generation);
  void checkToken(const AttemptPtr& attempt);
  [[nodiscard]] Outcome match(const Attempt& attempt, const plugins::GenerationPtr& generation,
                              Auth& auth) const;

  http::IHttpServer& server_;
  plugins::ILoadedPlugins& loaded_;
  const std::shared_ptr<Loads> loads_;
  const std::shared_ptr<Tokens> tokens_;
};

}  // namespace svc::routes
