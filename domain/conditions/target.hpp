#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/conditions/conditions.hpp"
#include "domain/state_machines.hpp"

namespace waybill::domain {

/// The keys from an object down to a value; they point into the field tables.
using Steps = std::vector<std::string_view>;

/// What a condition's path names.
struct Target {
  struct Part {
    std::string_view path;  // within the object: "address.city"
    Steps steps;            // from the record down
  };

  FieldType type{};
  Steps steps;               // from the record to the value, or to the list that the path enters
  Steps element;             // from an element of that list to the value; empty when the path enters none
  std::vector<Part> parts;   // of an object: the fields in it whose old values are kept
  bool previous = false;     // asks for the value before the change
  bool relative = false;     // reads what is not the record's own
  bool has_history = false;  // old values are kept: `previous.…`, changed, from and to can be asked
  const StateMachine* states = nullptr;  // of a status
};

/// nullopt when records of `type` have no such path. `path` may begin with `previous.`.
std::optional<Target> find_target(std::string_view path, const RecordType& type);

/// What a field was before the change. A null `value` stands for null.
struct Before {
  bool changed;
  const json::value* value;
};

Before before(const Subject& subject, const Steps& steps);

/// Whether the change changed what `target` names: any part of an object, or the values that a path into a
/// list leads to. For a created record: whether it has a value.
bool is_changed(const Target& target, const Subject& subject);

/// The value at the end of `steps`; null when a step is missing or no object.
const json::value* walk(const json::object& from, const Steps& steps);
const json::value* walk(const json::value& from, const Steps& steps);

/// Null, missing, and an empty list, in which there is nothing.
bool is_nothing(const json::value* value);

/// The value, or the list that the target's path enters, at the time that it asks for.
const json::value* value_of(const Target& target, const Subject& subject, bool previous);

/// Whether `test(const json::value*)` holds for the value, or for any that a path into a list leads to. Null
/// pointers stand for null.
template <typename Test>
bool any_value(const Target& target, const Subject& subject, bool previous, Test test) {
  const auto* value = value_of(target, subject, previous);
  if (target.element.empty() || (previous && subject.created)) return test(value);
  const auto* list = value == nullptr ? nullptr : value->if_array();
  return list != nullptr && std::ranges::any_of(*list, [&](const json::value& each) {
           return test(walk(each, target.element));
         });
}

}  // namespace waybill::domain
