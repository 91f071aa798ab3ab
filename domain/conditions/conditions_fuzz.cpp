#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/conditions/conditions.hpp"

namespace {

namespace json = waybill::json;
using waybill::domain::Conditions;
using waybill::domain::Subject;

void require(bool holds) {
  if (!holds) std::abort();
}

json::object member(const json::value& document, std::string_view key) {
  const auto* object = document.if_object();
  const auto* value = object == nullptr ? nullptr : object->if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

// Every record has a result, and `not` inverts it.
void check(const Conditions& conditions, const Conditions& negated, const Subject& subject) {
  require(conditions.evaluate(subject) != negated.evaluate(subject));
  require(conditions.explain(subject).size() == negated.explain(subject).size());
}

}  // namespace

// The input is `{"conditions": …, "entity": {…}, "previous": {…}}`.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = waybill::parse_json({reinterpret_cast<const char*>(data), size}, 64);
  const auto* document = std::get_if<json::value>(&parsed);
  if (document == nullptr) return 0;
  const json::value definition = member(*document, "conditions");
  const auto entity = member(*document, "entity");
  const auto previous = member(*document, "previous");
  for (const auto& type : waybill::domain::record_types()) {
    const auto result = Conditions::parse(definition, type);
    if (const auto* errors = std::get_if<waybill::FieldErrors>(&result)) {
      require(!errors->empty() && std::ranges::all_of(*errors, [](const waybill::FieldError& error) {
        return error.field.starts_with("conditions") && !error.message.empty();
      }));
      continue;
    }
    const auto negated = Conditions::parse(json::object{{"not", definition}}, type);
    if (!std::holds_alternative<Conditions>(negated)) continue;  // one level too deep
    check(std::get<Conditions>(result), std::get<Conditions>(negated), {entity, previous, false});
    check(std::get<Conditions>(result), std::get<Conditions>(negated), {entity, previous, true});
    check(std::get<Conditions>(result), std::get<Conditions>(negated), {entity, entity, false});
    check(std::get<Conditions>(result), std::get<Conditions>(negated), {previous, entity, false});
  }
  return 0;
}
