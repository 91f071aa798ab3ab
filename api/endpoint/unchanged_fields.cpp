#include "api/endpoint/unchanged_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "api/endpoint/schema.hpp"
#include "base/exact_number.hpp"
#include "base/number.hpp"

namespace waybill::api {
namespace {

// Compared for one body, so that a large one that stays refused costs little.
constexpr std::size_t most_compared = 100;

// A change replaces it as a whole.
constexpr std::string_view whole_member = "customs";

/// True if both are objects of the same thing: those with a guid have the same one.
bool is_same_thing(const json::value& given, const json::value& shown) {
  if (!given.is_object() || !shown.is_object()) return false;
  const auto* const guid = shown.get_object().if_contains("guid");
  const auto* const given_guid = given.get_object().if_contains("guid");
  return guid == nullptr || (given_guid != nullptr && *given_guid == *guid);
}

/// The first name of `path`. A key of metadata may have dots and brackets.
std::string_view first_name(const json::object& object, std::string_view path) {
  return object.contains(path) ? path : path.substr(0, path.find_first_of(".["));
}

/// True if `shown` has a member at `path`, which begins behind the name of `shown`: ".street", "[0].price".
bool has_member(const json::value& shown, std::string_view path) {
  if (path.empty()) return true;
  if (const auto* const list = shown.if_array()) {
    const auto end = path.find(']');
    if (path.front() != '[' || end == std::string_view::npos) return false;
    const auto place = parse_number<std::size_t>(path.substr(1, end - 1));
    return place && *place < list->size() && has_member((*list)[*place], path.substr(end + 1));
  }
  const auto* const object = shown.if_object();
  if (object == nullptr || path.front() != '.') return false;
  const auto rest = path.substr(1);
  const auto name = first_name(*object, rest);
  const auto* const member = object->if_contains(name);
  return member != nullptr && has_member(*member, rest.substr(name.size()));
}

bool remove_at(json::object& given, const json::object& shown, std::string_view path, bool is_unknown);

/// `path` begins behind a list with the number of an entry: "[0].price".
bool remove_in_entry(json::array& given, const json::array& shown, std::string_view path, bool is_unknown) {
  const auto end = path.find("].");
  if (end == std::string_view::npos) return false;
  const auto number = parse_number<std::size_t>(path.substr(1, end - 1));
  if (!number || *number >= given.size()) return false;
  json::value& entry = given[*number];
  const auto* const object = entry.if_object();
  if (object == nullptr || !object->contains("guid")) return false;
  const auto known =
      std::ranges::find_if(shown, [&](const json::value& each) { return is_same_thing(entry, each); });
  return known != shown.end() && known->get_object().contains("guid") &&
         remove_at(entry.get_object(), known->get_object(), path.substr(end + 2), is_unknown);
}

/// Removes the outermost value on the path that the record shows. A member that no schema knows must be shown
/// itself, also if it is null.
bool remove_at(json::object& given, const json::object& shown, std::string_view path, bool is_unknown) {
  const auto name = first_name(given, path);
  auto* const value = given.if_contains(name);
  const auto* const known = shown.if_contains(name);
  if (value == nullptr || known == nullptr) return false;
  const auto rest = path.substr(name.size());
  if (is_same_value(*value, *known) && (!is_unknown || has_member(*known, rest)))
    return given.erase(name) > 0;
  if (name == whole_member || rest.empty()) return false;
  if (rest.front() == '[') {
    return value->is_array() && known->is_array() &&
           remove_in_entry(value->get_array(), known->get_array(), rest, is_unknown);
  }
  return is_same_thing(*value, *known) &&
         remove_at(value->get_object(), known->get_object(), rest.substr(1), is_unknown);
}

}  // namespace

bool remove_unchanged(json::object& body, const json::object& shown, const FieldErrors& errors) {
  bool removed = false;
  for (const auto& [field, message] : std::span(errors).first(std::min(errors.size(), most_compared)))
    removed = remove_at(body, shown, field, message == unknown_field) || removed;
  return removed;
}

}  // namespace waybill::api
