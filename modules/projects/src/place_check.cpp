#include "place_check.h"

#include <utility>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::projects {
namespace {

using common::Json;

/// What is wrong with the path is the caller's to mend; what is wrong with the way there is told as it is.
Error refusal(const Error& error) {
  if (error.code == errc::kInvalidInput || error.code == errc::kForbidden) {
    return {errc::kInvalidInput, error.message};
  }
  if (error.code == errc::kNotFound || error.code == errc::kUnknownHost ||
      error.code == errc::kHostUnavailable || error.code == errc::kTimeout ||
      error.code == errc::kTooManyCalls) {
    return error;
  }
  return {errc::kHostError, error.message,
          Json::object().set("code", error.code.name()).set("message", error.message).dump()};
}

}  // namespace

void PlaceCheck::check(Place place, Completion<Place> done) const {
  if (commands_ == nullptr) {
    return done(Error{errc::kHostUnavailable,
                      "this server has no machines: its module hosts is not loaded"});
  }
  auto command =
      Json::object().set("type", hostprotocol::command::kDirectory).set("path", place.path).dump();
  const auto host_id = place.host_id;
  commands_->send(
      host_id, std::move(command), limits::kHostCall,
      [place = std::move(place),
       done = std::move(done)](const Result<std::string>& answer) mutable {
        if (!answer) {
          return done(refusal(answer.error()));
        }
        const auto parsed = Json::parse(answer.value());
        if (!parsed || parsed.value()["directory"].asString().empty()) {
          return done(Error{errc::kHostError, "the machine's daemon answered without a directory"});
        }
        place.path = parsed.value()["directory"].asString();
        done(std::move(place));
      });
}

}  // namespace svc::projects
