#pragma once

#include <v8.h>

namespace svc::database {

class Connection;
class Databases;

/// A C++ object behind one JavaScript object. It belongs to its Databases, which deletes it some time after the JavaScript
/// object has been collected, or at the end of the environment. Script thread.
class Wrapped {
 public:
  Wrapped(Databases& databases, v8::Local<v8::Object> object);
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;
  virtual ~Wrapped();

  /// Itself, for the one kind that others look for.
  [[nodiscard]] virtual Connection* asConnection() { return nullptr; }
  [[nodiscard]] v8::Local<v8::Object> object() const;
  [[nodiscard]] Databases& databases() const { return databases_; }
  [[nodiscard]] v8::Isolate* isolate() const;
  [[nodiscard]] v8::Local<v8::Context> context() const;

  /// Internal fields of the JavaScript object.
  static constexpr int kSelf = 0;
  static constexpr int kOwner = 1;  ///< what the object keeps alive
  static constexpr int kFields = 2;

 private:
  Databases& databases_;
  v8::Global<v8::Object> object_;
};

using Arguments = v8::FunctionCallbackInfo<v8::Value>;

/// The C++ half of an instance of T's class; the signatures of templates guarantee that it is one.
template <class T>
[[nodiscard]] T* unwrap(v8::Local<v8::Object> object) {
  return static_cast<T*>(
      static_cast<Wrapped*>(object->GetAlignedPointerFromInternalField(Wrapped::kSelf)));
}

}  // namespace svc::database
