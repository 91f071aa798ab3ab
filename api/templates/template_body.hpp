#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "api/route/route.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"
#include "templates/builtin.hpp"
#include "templates/parts.hpp"

namespace waybill::api {

extern const Schema template_create_schema;
extern const Schema template_update_schema;

/// A template as it is to be stored.
struct TemplateDefinition {
  std::string code;
  std::string name;
  domain::EntityType entity_type{};
  std::string type;
  std::array<std::optional<std::string>, templates::part_names.size()> parts;

  /// As an answer shows it, without guid and version.
  json::object to_object() const;
  static TemplateDefinition of(const json::object& answer);
  static TemplateDefinition of(const templates::BuiltIn& built_in);

  /// The codes that its parts include, each once.
  std::vector<std::string> partials() const;
};

/// Overwrites `definition` with what `body`, which passed its route's checks, gives; throws Failure with
/// every field that is then missing or does not fit.
void merge_template(const json::object& body, TemplateDefinition& definition);

/// The rules of each field, whatever the body's shape: the code's form, Mustache, the entity type.
void check_template_fields(const json::object& body, FieldErrors& errors);
/// Those, and what a new template must have by its type.
void check_new_template(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
