#include "matching/awaited_events.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

#include "actions/definition.hpp"

namespace waybill::matching {
namespace {

/// True for the triggers of an event after which the record is gone.
bool is_of_gone_record(std::string_view code) {
  return code.ends_with("_deleted") || code.ends_with("_erased");
}

/// Reads {triggers, conditions}; the result has no meaning if there are errors.
AwaitedEvents read(const json::value& given, domain::EntityType type, const std::string& field, bool for_wait,
                   FieldErrors& errors) {
  AwaitedEvents awaited{.triggers = std::nullopt, .conditions = {}};
  const json::object* const object = given.if_object();
  if (object == nullptr) {
    errors.push_back({field, "must be an object"});
    return awaited;
  }
  for (const auto& member : *object) {
    if (member.key() != "triggers" && member.key() != "conditions")
      errors.push_back({field + "." + std::string(member.key()), "unknown field"});
  }
  const json::value* const triggers = actions::find_value(*object, "triggers");
  const json::value* const conditions = actions::find_value(*object, "conditions");
  if (triggers == nullptr && (!for_wait || conditions == nullptr))
    errors.push_back(
        {field + ".triggers", for_wait ? "is required unless conditions is given" : "is required"});
  if (triggers != nullptr && !triggers->is_array()) {
    errors.push_back({field + ".triggers", "must be an array"});
  } else if (triggers != nullptr) {
    auto choice = domain::parse_choice(triggers->get_array(), type);
    if (auto* const problems = std::get_if<FieldErrors>(&choice)) {
      for (FieldError& problem : *problems)
        errors.push_back({field + "." + problem.field, std::move(problem.message)});
    } else {
      awaited.triggers = std::get<domain::TriggerChoice>(choice).set;
    }
    if (for_wait) {
      for (std::size_t i = 0; i < triggers->get_array().size(); ++i) {
        const auto* const code = triggers->get_array()[i].if_string();
        if (code != nullptr && is_of_gone_record(*code))
          errors.push_back({field + ".triggers[" + std::to_string(i) + "]",
                            "cannot be awaited, because the record is then gone"});
      }
    }
  }
  if (conditions != nullptr) {
    auto parsed = domain::Conditions::parse(*conditions, domain::record_type(type), field + ".conditions");
    if (auto* const problems = std::get_if<FieldErrors>(&parsed)) {
      errors.insert(errors.end(), problems->begin(), problems->end());
    } else {
      awaited.conditions = std::get<domain::Conditions>(std::move(parsed));
    }
  }
  return awaited;
}

}  // namespace

bool AwaitedEvents::include(const domain::TriggerSet& fired, const domain::Subject& subject) const {
  WorkBudget own{domain::max_condition_work};
  return include(fired, subject, own);
}

bool AwaitedEvents::include(const domain::TriggerSet& fired, const domain::Subject& subject,
                            WorkBudget& share) const {
  return (!triggers || (*triggers & fired).any()) &&
         domain::judge(conditions, subject, share) == domain::Verdict::hold;
}

void check_awaited(const json::value& given, domain::EntityType type, const std::string& field, bool for_wait,
                   FieldErrors& errors) {
  read(given, type, field, for_wait, errors);
}

AwaitedEvents parse_awaited(const json::value& stored, domain::EntityType type, bool for_wait) {
  FieldErrors errors;
  AwaitedEvents awaited =
      read(stored, type, std::string(for_wait ? wait_member : cancel_member), for_wait, errors);
  if (!errors.empty()) throw std::invalid_argument(errors.front().field + ": " + errors.front().message);
  return awaited;
}

}  // namespace waybill::matching
