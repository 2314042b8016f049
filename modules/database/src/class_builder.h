#pragma once

#include <string_view>

#include <v8.h>

#include "text.h"
#include "wrapped.h"

namespace svc::database {

/// Builds a class of JavaScript whose instances only C++ makes.
template <class T>
class ClassBuilder {
 public:
  ClassBuilder(v8::Isolate* isolate, std::string_view name, v8::FunctionCallback construct)
      : isolate_(isolate), class_(v8::FunctionTemplate::New(isolate, construct)) {
    class_->SetClassName(text(name));
    class_->InstanceTemplate()->SetInternalFieldCount(Wrapped::kFields);
    signature_ = v8::Signature::New(isolate, class_);
  }

  using Method = void (T::*)(const Arguments&);
  template <Method kMethod>
  ClassBuilder& method(std::string_view name) {
    return method<kMethod>(text(name));
  }
  template <Method kMethod>
  ClassBuilder& method(v8::Local<v8::Name> name) {
    class_->PrototypeTemplate()->Set(name,
                                     v8::FunctionTemplate::New(
                                         isolate_,
                                         [](const Arguments& arguments) noexcept {
                                           if (auto* self = unwrap<T>(arguments.This())) {
                                             (self->*kMethod)(arguments);
                                           }
                                         },
                                         {}, signature_, 0, v8::ConstructorBehavior::kThrow),
                                     v8::DontEnum);
    return *this;
  }

  using Getter = v8::Local<v8::Value> (T::*)() const;
  /// A read-only property of each instance, asked for when it is read.
  template <Getter kGetter>
  ClassBuilder& property(std::string_view name) {
    class_->InstanceTemplate()->SetNativeDataProperty(
        text(name),
        [](v8::Local<v8::Name>, const v8::PropertyCallbackInfo<v8::Value>& info) noexcept {
          if (auto* self = unwrap<T>(info.Holder())) {
            info.GetReturnValue().Set((self->*kGetter)());
          }
        },
        nullptr, {}, v8::ReadOnly);
    return *this;
  }

  [[nodiscard]] v8::Local<v8::FunctionTemplate> result() const { return class_; }

 private:
  [[nodiscard]] v8::Local<v8::String> text(std::string_view name) const {
    return literal(isolate_, name);
  }

  v8::Isolate* isolate_;
  v8::Local<v8::FunctionTemplate> class_;
  v8::Local<v8::Signature> signature_;
};

}  // namespace svc::database
