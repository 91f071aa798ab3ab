#include "api/records/own_data.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "base/exact_number.hpp"
#include "base/utf8.hpp"

namespace waybill::api {
namespace {

using domain::most_metadata_keys;

const std::string too_many_keys = "must have at most " + std::to_string(most_metadata_keys) + " keys";

void check_tags(const json::array& tags, FieldErrors& errors) {
  for (std::size_t index = 0; index < std::min(tags.size(), most_tags); ++index) {
    // The schema reports other kinds and lengths.
    if (tags[index].is_string() && is_blank(tags[index].get_string()))
      errors.push_back({"tags[" + std::to_string(index) + "]", "must not be blank"});
  }
}

void check_metadata(const json::value& metadata, FieldErrors& errors) {
  if (!metadata.is_object()) return errors.push_back({"metadata", "must be an object"});
  const auto& entries = metadata.get_object();
  const auto values =
      std::ranges::count_if(entries, [](const auto& entry) { return !entry.value().is_null(); });
  if (std::cmp_greater(values, most_metadata_keys)) return errors.push_back({"metadata", too_many_keys});
  std::size_t bad = 0;
  for (const auto& entry : entries) {
    auto problem = domain::metadata_problem(entry.key(), entry.value());
    if (!problem) continue;
    if (++bad > most_metadata_keys) break;  // keeps the answer small
    errors.push_back({"metadata." + std::string(entry.key()), std::move(*problem)});
  }
}

json::object stored_metadata(const std::optional<std::string>& text) {
  if (!text) return {};
  auto parsed = parse_exact_json(*text);
  auto* const value = std::get_if<json::value>(&parsed);
  return value != nullptr && value->is_object() ? std::move(value->get_object()) : json::object();
}

}  // namespace

const Schema metadata_schema{.name = "Metadata", .json = R"({"type": "object", "maxProperties": 50,
                "propertyNames": {"pattern": "^[A-Za-z0-9_.-]{1,40}$"},
                "additionalProperties": {"type": ["string", "number", "boolean", "null"], "maxLength": 500},
                "description": "The users' own values by key."})"};

void check_own_data(const json::object& body, FieldErrors& errors) {
  if (const auto* const tags = find_value(body, "tags"); tags != nullptr && tags->is_array())
    check_tags(tags->get_array(), errors);
  if (const auto* const metadata = find_value(body, "metadata")) check_metadata(*metadata, errors);
}

json::array distinct_tags(const json::array& tags) {
  json::array distinct;
  std::set<std::string> known;
  for (const auto& each : tags) {
    const auto tag = without_outer_blanks(each.get_string());
    if (known.insert(folded_utf8(tag)).second) distinct.emplace_back(tag);
  }
  return distinct;
}

json::value tags_value(const json::value& tags) {
  if (tags.is_null() || tags.get_array().empty()) return nullptr;
  return distinct_tags(tags.get_array());
}

std::optional<std::string> merged_metadata(const std::optional<std::string>& stored, const json::value& given,
                                           FieldErrors& errors) {
  if (given.is_null()) return std::nullopt;
  auto merged = stored_metadata(stored);
  for (const auto& [key, value] : given.get_object()) {
    if (value.is_null()) {
      merged.erase(key);
    } else {
      merged.insert_or_assign(key, value);
    }
  }
  if (merged.size() > most_metadata_keys) errors.push_back({"metadata", too_many_keys});
  return merged.empty() ? std::nullopt : std::optional(to_json(merged));
}

Failure too_much_metadata() { return invalid("metadata", too_many_keys); }

}  // namespace waybill::api
