#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "base/json.hpp"

namespace waybill::api {

enum class Direction : std::uint8_t { request, answer };

/// JSON Schema (2020-12, as OpenAPI 3.1 uses it) of every schema that the endpoints refer to. A schema of
/// requests refuses unknown properties. A schema of answers has all properties that are not optional under
/// `required`. One that is used in both directions makes two components: "Driver" for answers, "DriverInput"
/// for requests.
class ComponentSchemas {
 public:
  /// Throws std::logic_error when two schemas share a name.
  explicit ComponentSchemas(std::span<const Endpoint> endpoints);

  json::object reference(const Schema& schema, Direction direction) const;

  /// All components by name, in the order of the names.
  json::object all() const;

 private:
  struct Use {
    const Schema* schema = nullptr;
    bool in_request = false;
    bool in_answer = false;
  };

  void collect(const Schema* schema, Direction direction);
  std::string name_of(const Use& use, Direction direction) const;
  json::object component(const Schema& schema, Direction direction) const;
  json::object object_schema(const Schema& schema, Direction direction) const;
  json::object one_of(const Schema& schema, Direction direction) const;
  json::object property_schema(const Property& property, Direction direction) const;
  json::object bare_schema(const Property& property, Direction direction) const;
  json::object array_schema(const Property& property, Direction direction) const;

  std::map<std::string_view, Use> uses_;  // by name
};

/// The schema of a value of this kind alone.
json::object kind_schema(Kind kind);

json::object parameter_schema(const Parameter& parameter);

}  // namespace waybill::api
