#include "api/templates/template_body.hpp"

#include <algorithm>
#include <utility>

#include "actions/stored_templates.hpp"
#include "api/records/fields.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_code = 64;

constexpr auto template_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "code",
       .kind = Kind::string,
       .required = create,
       .nullable = false,
       .max_length = longest_code,
       .description =
           "The name that workflows and partials use: letters, digits, dots, hyphens and underscores."},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false},
      {.name = "entityType",
       .kind = Kind::string,
       .required = create,
       .nullable = false,
       .schema = &entity_type_schema},
      {.name = "type",
       .kind = Kind::one_of,
       .required = create,
       .nullable = false,
       .values = templates::template_types},
      {.name = "subject", .kind = Kind::text, .description = "The subject of a mail. Required for mails."},
      {.name = "body",
       .kind = Kind::text,
       .description = "The text of a mail or push message, or the body of a webhook."},
      {.name = "html", .kind = Kind::text, .description = "The text of a mail as HTML."},
      {.name = "title",
       .kind = Kind::text,
       .description = "The title of a push message. Required for push messages."},
      {.name = "url",
       .kind = Kind::text,
       .description = "The link of a push message, or the List-Unsubscribe link of a mail."},
      {.name = "version", .kind = Kind::integer, .nullable = false, .read_only = true},
  });
}
constexpr auto create_properties = template_properties(true);
constexpr auto answer_properties = template_properties(false);

constexpr Property version_property{
    .name = "ifVersion",
    .kind = Kind::integer,
    .minimum = 1,
    .description =
        "The version that the change is based on. If the template has another one, the answer is "
        "409, with the current version in `details.version`. Default: any."};

constexpr auto update_properties = [] {
  std::array<Property, answer_properties.size() + 1> all{};
  std::ranges::copy(answer_properties, all.begin());
  all.back() = version_property;
  return all;
}();

bool is_code(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '.' || c == '-';
  });
}

std::optional<std::string>& part(TemplateDefinition& definition, std::string_view name) {
  const auto index = std::ranges::find(templates::part_names, name) - templates::part_names.begin();
  return definition.parts.at(static_cast<std::size_t>(index));
}

void merge_fields(const json::object& body, TemplateDefinition& definition) {
  if (auto code = text_at(body, "code")) definition.code = std::move(*code);
  if (auto name = text_at(body, "name")) definition.name = std::move(*name);
  if (auto type = text_at(body, "type")) definition.type = std::move(*type);
  if (const auto name = text_at(body, "entityType")) {
    definition.entity_type = domain::parse_entity_type(*name).value_or(definition.entity_type);
  }
  merge_parts(body, definition);
}

/// Adds an error for each part that the type requires, and if a template that replaces a built-in one has
/// another type.
void check_complete(TemplateDefinition& definition, FieldErrors& errors) {
  const auto require = [&](std::string_view name) {
    if (is_blank(part(definition, name).value_or(""))) errors.push_back({std::string(name), "is required"});
  };
  if (definition.type == "send_email") {
    require("subject");
    if (is_blank(part(definition, "body").value_or("")) && is_blank(part(definition, "html").value_or(""))) {
      errors.push_back({"body", "is required unless html is given"});
    }
  } else if (definition.type == "send_push") {
    require("title");
  } else if (definition.type == "webhook") {
    require("body");
  }
  const auto* const built_in = templates::find_built_in(definition.code);
  if (built_in == nullptr) return;
  if (definition.type != templates::built_in_type) {
    errors.push_back({"type", "must be " + std::string(templates::built_in_type) +
                                  ", like the built-in template with this code"});
  }
  if (definition.entity_type != built_in->entity_type) {
    errors.push_back({"entityType", "must be " +
                                        std::string(domain::record_type(built_in->entity_type).name) +
                                        ", like the built-in template with this code"});
  }
}

}  // namespace

const Schema template_create_schema{"TemplateCreate", create_properties};
const Schema template_update_schema{"TemplateUpdate", update_properties};
const Schema template_schema{"Template", answer_properties};

json::object TemplateDefinition::to_object() const {
  json::object object{
      {"code", code}, {"name", name}, {"entityType", domain::record_type(entity_type).name}, {"type", type}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    object[templates::part_names[i]] = parts[i] ? json::value(*parts[i]) : json::value(nullptr);
  }
  return object;
}

TemplateDefinition TemplateDefinition::of(const json::object& answer) {
  TemplateDefinition definition;
  merge_fields(answer, definition);
  return definition;
}

TemplateDefinition TemplateDefinition::of(const templates::BuiltIn& built_in) {
  TemplateDefinition definition{.code = built_in.code,
                                .name = built_in.name,
                                .entity_type = built_in.entity_type,
                                .type = std::string(templates::built_in_type),
                                .parts = {}};
  part(definition, "subject") = built_in.subject;
  part(definition, "body") = built_in.body;
  part(definition, "html") = built_in.html;
  return definition;
}

std::vector<std::string> TemplateDefinition::partials() const {
  std::vector<std::string> codes;
  for (const auto& text : parts) {
    if (text) actions::add_partials(*text, codes);
  }
  return codes;
}

void merge_parts(const json::object& body, TemplateDefinition& definition) {
  for (const auto name : templates::part_names) merge_text(body, name, part(definition, name));
}

void merge_template(const json::object& body, TemplateDefinition& definition) {
  merge_fields(body, definition);
  FieldErrors errors;
  check_complete(definition, errors);
  if (!errors.empty()) throw invalid(std::move(errors));
}

void check_template_parts(const json::object& body, FieldErrors& errors) {
  for (const auto name : templates::part_names) {
    const auto text = text_at(body, name);
    if (!text) continue;
    if (auto problem = templates::mustache_problem(*text)) {
      errors.push_back({std::string(name), std::move(*problem)});
    }
  }
}

void check_template_fields(const json::object& body, FieldErrors& errors) {
  if (const auto code = text_at(body, "code"); code && !is_code(*code) && code->size() <= longest_code) {
    errors.push_back(
        {"code", "must be letters, digits, dots, hyphens and underscores, a letter or digit first"});
  }
  check_has_text(body, "name", errors);
  if (const auto name = text_at(body, "entityType"); name && !domain::parse_entity_type(*name)) {
    errors.push_back({"entityType", "must be one of Order, Shipment, Customer, Product"});
  }
  check_template_parts(body, errors);
}

void check_new_template(const json::object& body, FieldErrors& errors) {
  check_template_fields(body, errors);
  TemplateDefinition definition;
  merge_fields(body, definition);
  check_complete(definition, errors);
}

}  // namespace waybill::api
