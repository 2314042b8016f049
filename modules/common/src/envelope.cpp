#include "svc/common/envelope.h"

namespace svc::common {

std::string okEnvelope(std::string_view member, const RawJson& value) {
  std::string body;
  body.reserve(member.size() + value.text().size() + 16);
  body.append(R"({"ok":true,")").append(member).append("\":").append(value.text()).push_back('}');
  return body;
}

std::string okEnvelope(const Json& object) {
  Json body = Json::object();
  body.set("ok", true);
  for (const auto& [key, value] : object.members()) {
    body.set(key, value);
  }
  return body.dump();
}

std::string errorEnvelope(const Error& error) {
  std::string body = R"({"ok":false,"error":{"code":)";
  appendJsonString(body, error.code.name());
  body.append(R"(,"message":)");
  appendJsonString(body, error.message);
  if (!error.issues.empty()) {
    body.append(R"(,"issues":)").append(error.issues);
  }
  if (!error.details.empty()) {
    body.append(R"(,"details":)").append(error.details);
  }
  body.append("}}");
  return body;
}

}  // namespace svc::common
