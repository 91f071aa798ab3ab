#include <algorithm>
#include <variant>
#include <vector>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/records/change_cause.hpp"
#include "actions/records/settable_fields.hpp"
#include "actions/stored_templates.hpp"
#include "base/blanks.hpp"
#include "domain/values/own_data.hpp"
#include "storage/runs/run.hpp"
#include "templates/parts.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t longest_template = 10'000;

bool is_template(const json::value& value) {
  const auto* const text = value.if_string();
  return text != nullptr && std::string_view(*text).find("{{") != std::string_view::npos;
}

/// The reason that a text is not valid Mustache; nullopt if it is.
std::optional<std::string> template_problem(std::string_view text) {
  if (text.size() > longest_template) return "must not be longer than 10000 bytes";
  return templates::mustache_problem(text);
}

/// Checks the configuration of a change of fields and collects its errors.
class RecordChecker {
 public:
  RecordChecker(const json::object& definition, domain::EntityType type, FieldErrors& errors)
      : definition_(definition), type_(type), errors_(errors) {}

  json::object check() {
    for (const auto& member : definition_) {
      if (member.key() != "type" && member.key() != "set")
        errors_.push_back({"action." + std::string(member.key()), "unknown field"});
    }
    const auto* const set = find_value(definition_, "set");
    if (set == nullptr || !set->is_object() || set->get_object().empty()) {
      errors_.push_back({"action.set", set == nullptr ? "is required" : "must be an object of fields"});
      return {};
    }
    for (const auto& [name, value] : set->get_object()) check_field(name, value);
    return {{"type", "update_record"}, {"set", *set}};
  }

 private:
  void refuse(const std::string& field, std::string message) {
    errors_.push_back({"action.set." + field, std::move(message)});
  }

  void check_field(std::string_view name, const json::value& value) {
    const std::string path(name);
    if (name == "tags") return check_tags(value);
    if (name == "metadata") return check_metadata(value);
    const domain::Field* const field = find_settable(type_, name);
    if (field == nullptr) {
      refuse(path, "is not a field that a workflow can set: " + known());
    } else if (is_template(value)) {
      if (auto problem = template_problem(value.get_string())) refuse(path, std::move(*problem));
    } else {
      auto checked = column_value(*field, value);
      if (auto* const problem = std::get_if<std::string>(&checked)) refuse(path, std::move(*problem));
    }
  }

  std::string known() const {
    std::string names;
    for (const domain::Field* const field : settable_fields(type_))
      names += std::string(field->column()->settable_as) + ", ";
    return names + "tags, metadata";
  }

  void check_tags(const json::value& value) {
    const auto* const object = value.if_object();
    if (object == nullptr) return refuse("tags", "must be an object with add, remove or both");
    for (const auto& [name, list] : *object) {
      const std::string path = "tags." + std::string(name);
      if (name != "add" && name != "remove") {
        refuse(path, "unknown field");
      } else if (!list.is_array() || list.get_array().size() > domain::most_tags) {
        refuse(path, "must be an array of at most 50 strings");
      } else {
        for (std::size_t i = 0; i < list.get_array().size(); ++i)
          check_tag(path + "[" + std::to_string(i) + "]", list.get_array()[i]);
      }
    }
  }

  void check_tag(const std::string& path, const json::value& tag) {
    if (!tag.is_string()) return refuse(path, "must be a string");
    auto problem =
        is_template(tag) ? template_problem(tag.get_string()) : domain::tag_problem(tag.get_string());
    if (problem) refuse(path, std::move(*problem));
  }

  void check_metadata(const json::value& value) {
    const auto* const object = value.if_object();
    if (object == nullptr || object->size() > domain::most_metadata_keys)
      return refuse("metadata", "must be an object of at most 50 keys");
    for (const auto& [key, entry] : *object) {
      auto problem = domain::metadata_problem(key, is_template(entry) ? json::value() : entry);
      if (!problem && is_template(entry)) problem = template_problem(entry.get_string());
      if (problem) refuse("metadata." + std::string(key), std::move(*problem));
    }
  }

  const json::object& definition_;
  const domain::EntityType type_;
  FieldErrors& errors_;
};

/// Renders the values of a change and checks them again. Throws InvalidValue.
class Renderer {
 public:
  Renderer(const WorkflowView& workflow, const EventView& event)
      : action_(workflow.action),
        templates_(workflow.templates),
        type_(event.entity_type),
        context_(template_context(workflow, event, &memory_)) {}

  json::object request(const Guid& record) {
    json::object changes;
    json::array added, removed;
    for (const auto& [name, value] : action_.at("set").as_object()) {
      if (name == "tags") {
        if (const auto* const list = find_value(value.as_object(), "add")) added = tags(*list);
        if (const auto* const list = find_value(value.as_object(), "remove")) removed = tags(*list);
      } else if (name == "metadata") {
        changes["metadata"] = metadata(value.as_object());
      } else {
        const domain::Field* const field = find_settable(type_, name);
        if (field == nullptr) throw InvalidValue(std::string(name) + ": cannot be set.");
        auto column = column_value(*field, rendered(value));
        if (const auto* const problem = std::get_if<std::string>(&column)) refuse(name, *problem);
        changes[field->column()->name] = std::get<json::value>(column);
      }
    }
    return {{"entityType", domain::record_type(type_).name},
            {"entityId", record.to_string()},
            {"changes", std::move(changes)},
            {"addedTags", std::move(added)},
            {"removedTags", std::move(removed)}};
  }

 private:
  [[noreturn]] static void refuse(std::string_view field, std::string_view problem) {
    throw InvalidValue(std::string(field) + " " + std::string(problem) + ".");
  }

  json::value rendered(const json::value& value) {
    if (!is_template(value)) return value;
    constexpr auto escape = templates::Escape::none;
    return json::value(templates::render(value.get_string(), context_, escape,
                                         stored_partials(templates_, escape), budget_));
  }

  json::array tags(const json::value& list) {
    json::array result;
    for (const json::value& entry : list.as_array()) {
      const json::value tag = rendered(entry);
      if (tag.as_string().empty()) continue;  // a tag without a value is left out
      if (const auto problem = domain::tag_problem(tag.get_string())) refuse("tags", *problem);
      result.emplace_back(without_outer_blanks(tag.get_string()));
    }
    return result;
  }

  json::object metadata(const json::object& given) {
    json::object result;
    for (const auto& [key, entry] : given) {
      const json::value value = rendered(entry);
      if (const auto problem = domain::metadata_problem(key, value))
        refuse("metadata." + std::string(key), *problem);
      result[key] = value;
    }
    return result;
  }

  json::monotonic_resource memory_;
  const json::object& action_;
  const json::object* const templates_;
  const domain::EntityType type_;
  const json::object context_;
  WorkBudget budget_{templates::max_work};
};

std::vector<std::string> texts(const json::value& list) {
  std::vector<std::string> result;
  for (const json::value& each : list.as_array()) result.emplace_back(each.as_string());
  return result;
}

/// Sets fields of the record of the event.
class UpdateRecord final : public Action {
 public:
  std::string_view type() const override { return "update_record"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return RecordChecker(definition, context.entity_type, errors).check();
  }

  std::vector<NamedRecord> records(const json::object& definition) const override {
    const auto carrier = find_guid(definition.at("set").as_object(), "carrierId");
    if (!carrier) return {};
    return {{NamedRecord::Kind::carrier, *carrier}};
  }

  bool changes_records() const override { return true; }

  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    return {.request = Renderer(workflow, event).request(event.entity_id), .body = {}};
  }

  std::string destination(const json::object&, const Guid& business) const override {
    return storage::change_destination(business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const json::object& request = attempt.request;
    finish({.outcome =
                storage::FieldChange{
                    .entity_type = domain::parse_entity_type(request.at("entityType").as_string()).value(),
                    .record = find_guid(request, "entityId").value(),
                    .changes = to_json(request.at("changes").as_object()),
                    .added_tags = texts(request.at("addedTags")),
                    .removed_tags = texts(request.at("removedTags")),
                    .cause = cause_of(attempt)},
            .started_at = effects.clock.now(),
            .status_code = {},
            .response = {},
            .error = {}});
  }
};

}  // namespace

const Action& update_record_action() {
  static const UpdateRecord action;
  return action;
}

}  // namespace waybill::actions
