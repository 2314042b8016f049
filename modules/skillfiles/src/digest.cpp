#include "digest.h"

#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>

#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {

struct Sha256::Engine : Poco::SHA2Engine {
  Engine() : Poco::SHA2Engine(Poco::SHA2Engine::SHA_256) {}
};

Sha256::Sha256() : engine_(std::make_unique<Engine>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { engine_->update(bytes.data(), bytes.size()); }

std::string Sha256::hex() { return Poco::DigestEngine::digestToHex(engine_->digest()); }

std::string digestOf(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace svc::skillfiles
