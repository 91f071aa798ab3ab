#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/endpoint/schema.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::api {

/// The use of a schema of a record.
enum class Use : std::uint8_t {
  create,  // requests with a new record
  change,  // requests with a change
  answer,  // the answer of a GET
  entry,   // entries of lists
};

/// Returns the properties of a record's schema, made from the rows of its columns, in the order of its table.
/// A property of `own` stands in place of the columns of its name ("carrier"); one that no column has
/// ("carrierId") stands in front of the next one that a column has, or at the end. Throws std::logic_error if
/// an object of columns has no property in `own`.
std::vector<Property> record_properties(domain::EntityType type, Use use, std::span<const Property> own);

/// Returns the properties of the object whose columns are directly at `path` ("deliveryAddress").
std::vector<Property> object_properties(domain::EntityType type, Use use, std::string_view path);

/// Returns the property of a column.
Property property_of(const domain::Field& field, std::string_view name, Use use);

}  // namespace waybill::api
