#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/conditions/conditions.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::domain {

/// The keys from an object down to a value; they point into the field tables or into Target::key.
using Steps = std::vector<std::string_view>;

/// The value that a condition's path names.
struct Target {
  struct Part {
    std::string_view path;  // within the object: "address.city"
    Steps steps;            // from the record down
  };

  FieldType type{};
  Steps steps;               // from the record to the value, or to the list that the path enters
  bool enters_list = false;  // the path goes through a list to its elements
  Steps element;             // from an element of that list to the value; empty if the elements are values
  std::vector<Part> parts;   // for an object: its fields whose old values are kept
  std::shared_ptr<const std::string> key;       // key of metadata; null for all other paths
  std::shared_ptr<const std::string> run_path;  // path of a value of the run; null for the record's values
  std::span<const std::string_view> run_values = {};  // the values that such a text can have; empty: any
  bool previous = false;                              // the value before the change
  bool relative = false;                              // reads a field that is not the record's own
  bool completed = false;      // a field of the record that may get its value from relatives
  bool is_value_list = false;  // a list of values without fields (tags)
  bool has_history = false;  // old values are kept, so that `previous.…`, changed, from and to are available
  const StateMachine* states = nullptr;  // set for a status
};

/// nullopt if records of `type` have no such path. `path` may begin with `previous.`.
std::optional<Target> find_target(std::string_view path, const RecordType& type);

/// The target for a value of a run.
Target run_target(const RunValue& value);

/// The target of comparisons with each value of a list for which `is_value_list` is true.
Target each_value(Target list);

/// A field's value before the change; a null pointer stands for null.
struct Before {
  bool changed;
  const json::value* value;
};

Before before(const Subject& subject, const Steps& steps);

/// True if the target changed: any part of an object, or the values at a path into a list. For a created
/// record, true if the target has a value. Takes the work of comparing lists from `budget`.
bool is_changed(const Target& target, const Subject& subject, WorkBudget& budget);

/// The value at the end of `steps`; null if a step is missing or not an object.
const json::value* walk(const json::object& from, const Steps& steps);
const json::value* walk(const json::value& from, const Steps& steps);

/// True for null, a missing value and an empty list.
bool is_nothing(const json::value* value);

/// The value of a list's element at the end of `steps`, which may be empty.
const json::value* element_value(const json::value& element, const Steps& steps);

/// The present or previous value of the target, or the list that its path enters.
const json::value* value_of(const Target& target, const Subject& subject, bool previous);

/// True if `test(const json::value*)` holds for the value, or for any value at a path into a list. Null
/// pointers stand for null.
template <typename Test>
bool any_value(const Target& target, const Subject& subject, bool previous, Test test) {
  const auto* value = value_of(target, subject, previous);
  if (!target.enters_list || (previous && subject.created)) return test(value);
  const auto* list = value == nullptr ? nullptr : value->if_array();
  return list != nullptr && std::ranges::any_of(*list, [&](const json::value& each) {
           return test(element_value(each, target.element));
         });
}

}  // namespace waybill::domain
