#include "uv_slots.h"

#ifdef SVC_NODE_EXECUTABLE

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <v8.h>

#include "js_text.h"

namespace svc::jsruntime {

namespace {

/// Behind the jump of uv_queue_work.
constexpr std::string_view kMark{"svc-slots-2", sizeof "svc-slots-2"};

struct Jump {
  std::uint8_t code[2];  // jmp *distance(%rip)
  std::int32_t distance;
} __attribute__((packed));

struct Slots {
  decltype(&UvWork::submit) submit;
  decltype(&UvWork::queueWork) queue_work;
  decltype(&UvWork::cancel) cancel;
  decltype(&acceptOfInspector) accept;
  // OpenSSL's state, which all environments share.
  v8::FunctionCallback set_fips;
  v8::FunctionCallback set_engine;
  v8::FunctionCallback set_client_engine;
  v8::FunctionCallback set_engine_key;
};

struct Text {
  char value[64];
};
constexpr Text kFips{"crypto.setFips()"};
constexpr Text kEngine{"crypto.setEngine()"};
constexpr Text kClientEngine{"the TLS option clientCertEngine"};
constexpr Text kEngineKey{"the TLS option privateKeyEngine"};

/// As unsupported() of js/prelude/shared_state.ts.
template <const Text& what>
void refuseChange(const v8::FunctionCallbackInfo<v8::Value>& arguments) {
  auto* const isolate = arguments.GetIsolate();
  const auto error =
      v8::Exception::Error(literal(isolate, std::string(what.value) +
                                                " is not supported: it would change the whole "
                                                "server"))
          .As<v8::Object>();
  error
      ->Set(isolate->GetCurrentContext(), literal(isolate, "code"),
            literal(isolate, "ERR_WORKER_UNSUPPORTED_OPERATION"))
      .Check();
  isolate->ThrowException(error);
}

}  // namespace

Status fillUvSlots() {
  const auto* const code = reinterpret_cast<const std::uint8_t*>(&uv_queue_work);
  Jump jump{};
  std::memcpy(&jump, code, sizeof jump);
  if (jump.code[0] != 0xff || jump.code[1] != 0x25 ||
      std::memcmp(code + sizeof jump, kMark.data(), kMark.size()) != 0) {
    return Error{errc::kUnavailable,
                 "this process is not svc-runtime, or its executable is of another build than its "
                 "modules: install both from one build"};
  }
  const auto* const used = code + sizeof jump + jump.distance;
  auto& slots =
      *reinterpret_cast<Slots*>(const_cast<std::uint8_t*>(used - offsetof(Slots, queue_work)));
  slots = {&UvWork::submit,
           &UvWork::queueWork,
           &UvWork::cancel,
           &acceptOfInspector,
           refuseChange<kFips>,
           refuseChange<kEngine>,
           refuseChange<kClientEngine>,
           refuseChange<kEngineKey>};
  return {};
}

}  // namespace svc::jsruntime

#endif
