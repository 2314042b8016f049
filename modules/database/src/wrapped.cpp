#include "wrapped.h"

#include "databases.h"

namespace svc::database {

Wrapped::Wrapped(Databases& databases, v8::Local<v8::Object> object)
    : databases_(databases), object_(databases.isolate(), object) {
  object->SetAlignedPointerInInternalField(kSelf, this);
  object_.SetWeak(
      this,
      [](const v8::WeakCallbackInfo<Wrapped>& info) {
        // Inside the collector: nothing but letting go is allowed here.
        auto* self = info.GetParameter();
        self->object_.Reset();
        self->databases_.doom(*self);
      },
      v8::WeakCallbackType::kParameter);
}

Wrapped::~Wrapped() {
  if (!object_.IsEmpty()) {
    object()->SetAlignedPointerInInternalField(kSelf, nullptr);
  }
}

v8::Local<v8::Object> Wrapped::object() const { return object_.Get(isolate()); }

v8::Isolate* Wrapped::isolate() const { return databases_.isolate(); }

v8::Local<v8::Context> Wrapped::context() const { return isolate()->GetCurrentContext(); }

}  // namespace svc::database
