#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A path that conditions can name.
struct ConditionField {
  std::string path;       // "items.sku"; "metadata.*" stands for each key of metadata
  std::string_view type;  // uuid, string, integer, number, boolean, timestamp, object, or any
  std::span<const std::string_view> values = {};  // values of a status
  bool nullable = true;                           // the value can be missing
  bool array = false;                             // the path names a list, or goes through one
  std::vector<std::string_view> operators = {};
  bool previous = false;  // `previous.PATH` is accepted
};

/// The paths that Conditions::parse accepts for records of a type, in the order of the field tables, each
/// object before its members. The operators are those that the parser accepts with a value of the field's
/// type; an object is listed with `exists` alone. Computed once; any thread.
const std::vector<ConditionField>& condition_fields(EntityType type);

/// A value of a run in the same form, for a workflow whose steps have `run`.
ConditionField run_field(EntityType type, const RunValue& value, const RunValues& run);

/// A value that the parser accepts for comparisons with a field of this type.
json::value condition_sample(const ConditionField& field);

}  // namespace waybill::domain
