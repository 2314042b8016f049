#include "parameters.h"

#include <string>

#include "databases.h"
#include "text.h"
#include "values.h"

namespace svc::database {

namespace {

constexpr const char* kNotAValue =
    "SQLite3 can only bind numbers, strings, bigints, buffers, and null";
constexpr const char* kTooBig = "The bound string, buffer, or bigint is too big";

/// `{…}` of any realm, or an object without a prototype.
bool isPlainObject(v8::Local<v8::Object> object) {
  const auto prototype = object->GetPrototype();
  return prototype->IsNull() ||
         (prototype->IsObject() && prototype.As<v8::Object>()->GetPrototype()->IsNull());
}

bool isRecord(v8::Local<v8::Value> value) {
  return value->IsObject() && !value->IsFunction() && !value->IsArrayBufferView();
}

bool bindOne(Databases& databases, v8::Local<v8::Value> value, sqlite3_stmt* statement, int index) {
  auto* isolate = databases.isolate();
  switch (bindValue(isolate, value, statement, index)) {
    case Fit::kTaken:
      return true;
    case Fit::kTooBig:
      throwRangeError(isolate, kTooBig);
      return false;
    case Fit::kNoMemory:
      databases.throwMemoryError();
      return false;
    case Fit::kNotAValue:
      throwTypeError(isolate, kNotAValue);
      return false;
  }
  return false;
}

}  // namespace

ParameterList::ParameterList(v8::Isolate* isolate, sqlite3_stmt* statement) {
  const int count = sqlite3_bind_parameter_count(statement);
  for (int index = 1; index <= count; ++index) {
    if (const char* name = sqlite3_bind_parameter_name(statement, index)) {
      named_.emplace_back(index, v8::Global<v8::String>(isolate, literal(isolate, name + 1)));
    } else {
      anonymous_.push_back(index);
    }
  }
}

bool ParameterValues::read(const Arguments& arguments, const ParameterList& list) {
  auto* isolate = arguments.GetIsolate();
  const auto context = isolate->GetCurrentContext();
  for (int at = 0; at < arguments.Length(); ++at) {
    if (!readArgument(isolate, context, arguments[at], list)) {
      return false;
    }
  }
  if (!list.named().empty() && !readNamed(isolate, context, list)) {
    return false;
  }
  if (anonymous_.size() < list.anonymous().size()) {
    throwRangeError(isolate, "Too few parameter values were provided");
    return false;
  }
  return true;
}

bool ParameterValues::readArgument(v8::Isolate* isolate, v8::Local<v8::Context> context,
                                   v8::Local<v8::Value> argument, const ParameterList& list) {
  if (argument->IsArray()) {
    const auto array = argument.As<v8::Array>();
    // A getter may change the length; what was there at the beginning is read.
    const auto length = array->Length();
    for (std::uint32_t at = 0; at < length; ++at) {
      v8::Local<v8::Value> value;
      if (!array->Get(context, at).ToLocal(&value) || !addAnonymous(isolate, value, list)) {
        return false;
      }
    }
    return true;
  }
  if (!isRecord(argument)) {
    return addAnonymous(isolate, argument, list);
  }
  if (!isPlainObject(argument.As<v8::Object>())) {
    throwTypeError(isolate, list.named().empty()
                                ? kNotAValue
                                : "Named parameters can only be passed within plain objects");
    return false;
  }
  if (!object_.IsEmpty()) {
    throwTypeError(isolate, "You cannot specify named parameters in two different objects");
    return false;
  }
  object_ = argument.As<v8::Object>();
  return true;
}

/// One after the other, so that the first that is wrong is the error.
bool ParameterValues::addAnonymous(v8::Isolate* isolate, v8::Local<v8::Value> value,
                                   const ParameterList& list) {
  if (!isBindable(value)) {
    throwTypeError(isolate, kNotAValue);
    return false;
  }
  if (anonymous_.size() == list.anonymous().size()) {
    throwRangeError(isolate, "Too many parameter values were provided");
    return false;
  }
  anonymous_.push_back(value);
  return true;
}

bool ParameterValues::readNamed(v8::Isolate* isolate, v8::Local<v8::Context> context,
                                const ParameterList& list) {
  if (object_.IsEmpty()) {
    throwTypeError(isolate, "Missing named parameters");
    return false;
  }
  for (const auto& [index, held_name] : list.named()) {
    const auto name = held_name.Get(isolate);
    bool present = false;
    v8::Local<v8::Value> value;
    if (!object_->HasOwnProperty(context, name).To(&present)) {
      return false;
    }
    if (!present) {
      throwRangeError(isolate, "Missing named parameter \"" + utf8Of(isolate, name) + "\"");
      return false;
    }
    if (!object_->Get(context, name).ToLocal(&value)) {
      return false;
    }
    named_.push_back(value);
  }
  return true;
}

bool ParameterValues::bind(Databases& databases, sqlite3_stmt* statement,
                           const ParameterList& list) const {
  std::size_t at = 0;
  for (const int index : list.anonymous()) {
    if (!bindOne(databases, anonymous_[at++], statement, index)) {
      return false;
    }
  }
  at = 0;
  for (const auto& named : list.named()) {
    if (!bindOne(databases, named_[at++], statement, named.first)) {
      return false;
    }
  }
  return true;
}

}  // namespace svc::database
