#include "api/endpoint/unchanged_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

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

bool remove_at(json::object& given, const json::object& shown, std::string_view path);

/// `path` begins behind a list with the number of an entry: "[0].price".
bool remove_in_entry(json::array& given, const json::array& shown, std::string_view path) {
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
         remove_at(entry.get_object(), known->get_object(), path.substr(end + 2));
}

/// Removes the outermost value on the path that the record shows.
bool remove_at(json::object& given, const json::object& shown, std::string_view path) {
  // A key of metadata may have dots and brackets.
  const auto name = given.contains(path) ? path : path.substr(0, path.find_first_of(".["));
  auto* const value = given.if_contains(name);
  const auto* const known = shown.if_contains(name);
  if (value == nullptr || known == nullptr) return false;
  if (is_same_value(*value, *known)) return given.erase(name) > 0;
  const auto rest = path.substr(name.size());
  if (name == whole_member || rest.empty()) return false;
  if (rest.front() == '[') {
    return value->is_array() && known->is_array() &&
           remove_in_entry(value->get_array(), known->get_array(), rest);
  }
  return is_same_thing(*value, *known) && remove_at(value->get_object(), known->get_object(), rest.substr(1));
}

}  // namespace

bool remove_unchanged(json::object& body, const json::object& shown, const FieldErrors& errors) {
  bool removed = false;
  for (std::size_t i = 0; i < std::min(errors.size(), most_compared); ++i)
    removed = remove_at(body, shown, errors[i].field) || removed;
  return removed;
}

}  // namespace waybill::api
