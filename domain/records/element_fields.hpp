#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// A field of the elements of a record's list.
struct ElementField {
  std::string_view path;  // within the element: "dimensions.length"
  FieldType type;
  std::optional<EntityType> status_of = {};  // the type whose status it holds
  bool is_nullable = false;                  // only of the elements of a related list, which have all fields
};

/// The fields of the elements of the list at `path` ("items"), in the order of the API. Empty if records of
/// `type` have no such list.
std::span<const ElementField> element_fields(EntityType type, std::string_view path);

}  // namespace waybill::domain
