#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "templates/builtin.hpp"
#include "templates/parts.hpp"

namespace waybill::api {

extern const Schema template_create_schema;
extern const Schema template_update_schema;
extern const Schema template_schema;  // of an answer

/// A template in the form that is stored.
struct TemplateDefinition {
  std::string code;
  std::string name;
  domain::EntityType entity_type{};
  std::string type;
  std::array<std::optional<std::string>, templates::part_names.size()> parts;

  /// Returns the members of an answer, except guid and version.
  json::object to_object() const;
  static TemplateDefinition of(const json::object& answer);
  static TemplateDefinition of(const templates::BuiltIn& built_in);

  /// Returns the codes of the partials that its parts include, without duplicates.
  std::vector<std::string> partials() const;
};

/// Overwrites `definition` with the members of `body`, which has passed its endpoint's checks. Throws Failure
/// with every field that is then missing or does not fit.
void merge_template(const json::object& body, TemplateDefinition& definition);

/// Overwrites the parts of `definition` with those that `body` has. Nothing is checked.
void merge_parts(const json::object& body, TemplateDefinition& definition);

/// Checks the Mustache of each part.
void check_template_parts(const json::object& body, FieldErrors& errors);
/// Checks each field by itself, whatever the body's shape: the code's form, Mustache, the entity type.
void check_template_fields(const json::object& body, FieldErrors& errors);
/// Checks each field, and the parts that the type of a new template requires.
void check_new_template(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
