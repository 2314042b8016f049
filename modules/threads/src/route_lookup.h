#pragma once

#include <functional>
#include <string>

#include "svc/common/json.h"
#include "svc/http/http.h"
#include "svc/kernel/completion.h"

namespace svc::threads {

/// What a GET route of this server answers; null when there is no such record. Any thread; fires on the one that answers.
using RouteLookup = std::function<void(std::string target, Completion<common::Json> done)>;

void askRoute(http::IHttpServer& server, std::string target, Completion<common::Json> done);

}  // namespace svc::threads
