#include "actions/stored_templates.hpp"

#include <algorithm>
#include <stdexcept>

#include "actions/definition.hpp"
#include "domain/purchases/money.hpp"
#include "domain/time/local_date.hpp"
#include "templates/builtin.hpp"

namespace waybill::actions {
namespace {

const json::object* find_stored(const json::object* templates, std::string_view code) {
  const json::value* const stored = templates == nullptr ? nullptr : templates->if_contains(code);
  return stored == nullptr ? nullptr : stored->if_object();
}

std::optional<std::string_view> text_of(const json::object& stored, std::string_view part) {
  const json::value* const text = stored.if_contains(part);
  if (text == nullptr || !text->is_string()) return std::nullopt;
  return std::string_view(text->get_string());
}

/// The amounts and times at the root of a record, as people read them.
json::object formatted_fields(const json::object& entity, domain::EntityType type,
                              std::string_view zone_offsets, const json::storage_ptr& memory) {
  json::object shown(memory);
  const auto* const currency = entity.if_contains("currency");
  const auto* const code = currency == nullptr ? nullptr : currency->if_string();
  for (const domain::Field& field : domain::record_type(type).fields) {
    const bool is_amount = field.column() != nullptr && field.type == domain::FieldType::decimal &&
                           field.column()->form != domain::Form::measure;
    if (!is_amount && field.type != domain::FieldType::timestamp) continue;
    const auto* const value = entity.if_contains(field.path);
    if (value == nullptr || value->is_null()) continue;
    if (is_amount) {
      shown[field.path] =
          domain::formatted_amount(to_json(*value), code == nullptr ? "" : std::string_view(*code));
    } else if (const auto time = value->is_string() ? parse_timestamp(value->get_string()) : std::nullopt) {
      shown[field.path] = domain::local_date(*time, zone_offsets);
    }
  }
  return shown;
}

json::array live_shipments(const json::array& shipments, const json::storage_ptr& memory) {
  json::array live(memory);
  for (const json::value& shipment : shipments) {
    const auto* const object = shipment.if_object();
    const auto* const status = object == nullptr ? nullptr : object->if_contains("status");
    const auto* const text = status == nullptr ? nullptr : status->if_string();
    if (text != nullptr && *text != "cancelled" && *text != "returned") live.push_back(shipment);
  }
  return live;
}

}  // namespace

void add_built_in_templates(json::object& stored) {
  for (auto& [code, parts] : stored) {
    if (!parts.is_null()) continue;
    if (const auto* const built_in = templates::find_built_in(std::string_view(code))) {
      parts = {{"subject", built_in->subject}, {"body", built_in->body}, {"html", built_in->html}};
    }
  }
}

std::string_view template_code(const json::object& action) {
  const json::value* const code = find_value(action, "template");
  return code != nullptr && code->is_string() ? std::string_view(code->get_string()) : "";
}

std::optional<std::string_view> stored_part(const json::object* templates, std::string_view code,
                                            std::string_view part) {
  const json::object* const stored = find_stored(templates, code);
  if (stored == nullptr) throw std::invalid_argument("there is no template " + std::string(code));
  return text_of(*stored, part);
}

templates::Partials stored_partials(const json::object* stored, templates::Escape escape) {
  return [stored, escape](std::string_view code) -> std::optional<std::string> {
    const json::object* const partial = find_stored(stored, code);
    if (partial == nullptr) return std::nullopt;
    auto text = escape == templates::Escape::html ? text_of(*partial, "html") : std::nullopt;
    if (!text) text = text_of(*partial, "body");
    return std::string(text.value_or(""));
  };
}

void add_partials(std::string_view text, std::vector<std::string>& codes) {
  const auto parsed = templates::Template::parse(text);
  const auto* const good = std::get_if<templates::Template>(&parsed);
  if (good == nullptr) return;
  for (std::string& code : good->partials()) {
    if (std::ranges::find(codes, code) == codes.end()) codes.push_back(std::move(code));
  }
}

std::optional<std::string> stored_template_problem(const CheckContext& context, std::string_view code,
                                                   std::string_view type) {
  if (!context.find_template) return std::nullopt;
  const auto found = context.find_template(code);
  if (!found) return "there is no template with this code";
  if (found->first != type) return "is a template for " + found->first;
  if (found->second != context.entity_type) {
    return "is a template for " + std::string(domain::record_type(found->second).name) + ", not for " +
           std::string(domain::record_type(context.entity_type).name);
  }
  return std::nullopt;
}

json::object template_context(const WorkflowView& workflow, const EventView& event,
                              const json::storage_ptr& memory) {
  json::object context(event.entity, memory);
  if (!event.entity_id.is_nil())
    context["formatted"] = formatted_fields(event.entity, event.entity_type, workflow.zone_offsets, memory);
  if (const auto* const shipments = event.entity.if_contains("shipments");
      shipments != nullptr && shipments->is_array())
    context["liveShipments"] = live_shipments(shipments->get_array(), memory);
  context["previous"] = event.previous;
  context["workflow"] = {{"guid", workflow.guid.to_string()}, {"name", workflow.name}};
  context["business"] = {{"guid", workflow.business_id.to_string()}, {"name", workflow.business_name}};
  const auto id = static_cast<std::int64_t>(event.event_id);
  context["event"] = {
      {"id", id <= 0 ? json::value() : json::value(id)},
      {"type", event.trigger},
      {"timestamp", format_timestamp(event.at)},
      {"entityType", domain::record_type(event.entity_type).name},
      {"entityId", event.entity_id.is_nil() ? json::value() : json::value(event.entity_id.to_string())}};
  if (event.steps != nullptr) context["steps"] = *event.steps;
  if (!event.triggers.empty())
    context.at("event").get_object()["triggers"] = json::array(event.triggers.begin(), event.triggers.end());
  return context;
}

}  // namespace waybill::actions
