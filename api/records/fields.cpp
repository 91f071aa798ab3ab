#include "api/records/fields.hpp"

#include <algorithm>

#include "base/blanks.hpp"
#include "base/exact_number.hpp"
#include "base/guid.hpp"

namespace waybill::api {
namespace {

constexpr Property address_properties[] = {
    {.name = "street", .kind = Kind::string},  {.name = "city", .kind = Kind::string},
    {.name = "state", .kind = Kind::string},   {.name = "postalCode", .kind = Kind::string},
    {.name = "country", .kind = Kind::string},
};

constexpr std::string_view entity_types[] = {"Order", "Shipment", "Customer", "Product"};

}  // namespace

bool is_null_at(const json::object& body, std::string_view path) {
  const auto* const value = find_path(body, path);
  return value != nullptr && value->is_null();
}

const Schema address_schema{"Address", address_properties};
const Schema entity_type_schema{.name = "EntityType", .values = entity_types};

const json::value* find_value(const json::object& body, std::string_view path) {
  const auto* const value = find_path(body, path);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> text_at(const json::object& body, std::string_view path) {
  const auto* const value = find_value(body, path);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

std::optional<Guid> guid_at(const json::object& body, std::string_view path) {
  return Guid::parse(text_at(body, path).value_or(""));
}

std::vector<Guid> guids_at(const json::object& body, std::string_view path) {
  std::vector<Guid> guids;
  if (const auto* const named = find_value(body, path)) {
    for (const auto& entry : named->get_array()) guids.push_back(Guid::parse(entry.get_string()).value());
  }
  std::ranges::sort(guids);
  guids.erase(std::ranges::unique(guids).begin(), guids.end());
  return guids;
}

void merge_text(const json::object& body, std::string_view path, std::optional<std::string>& value) {
  const auto dot = path.find('.');
  const auto* const member = body.if_contains(path.substr(0, dot));
  if (member == nullptr) return;
  if (dot != std::string_view::npos && member->is_object()) {
    merge_text(member->get_object(), path.substr(dot + 1), value);
  } else if (member->is_string()) {
    value = std::string(member->get_string());
  } else {
    value.reset();
  }
}

void check_not_blank(const json::object& body, std::string_view path, FieldErrors& errors) {
  const auto text = text_at(body, path);
  if (text && !text->empty()) check_has_text(body, path, errors);
}

void check_has_text(const json::object& body, std::string_view path, FieldErrors& errors) {
  const auto text = text_at(body, path);
  if (text && is_blank(*text)) errors.push_back({std::string(path), "must not be blank"});
}

void check_version(const json::object& body, std::string_view kind, std::int64_t current) {
  const json::value* const expected = find_value(body, "ifVersion");
  if (expected == nullptr || expected->to_number<std::int64_t>() == current) return;
  const std::string version = std::to_string(current);
  throw Failure(ErrorCode::conflict,
                "The " + std::string(kind) + " has version " + version + ", not the one in ifVersion.",
                {{"version", version}});
}

void check_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                        FieldErrors& errors) {
  const auto flat_guid = guid_at(body, flat);
  const auto nested_guid = guid_at(body, nested);
  if (flat_guid && nested_guid && flat_guid != nested_guid) {
    errors.push_back({std::string(nested), "differs from " + std::string(flat)});
  } else if (nested_guid && is_null_at(body, flat)) {
    errors.push_back({std::string(flat), "is null, but " + std::string(nested) + " is not"});
  }
}

void merge_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                        std::optional<Guid>& value) {
  const auto object = nested.substr(0, nested.find('.'));
  auto guid = guid_at(body, flat);
  if (!guid) guid = guid_at(body, nested);
  if (guid) {
    value = guid;
  } else if (is_null_at(body, flat) || is_null_at(body, object) || is_null_at(body, nested)) {
    value.reset();
  }
}

void check_service_level(std::string_view level, std::string_view codes, FieldErrors& errors) {
  const auto known = stored_list(codes);
  if (std::ranges::find(known, json::value(level)) == known.end()) {
    errors.push_back({"serviceLevel", "must be one of the carrier's service levels: " + std::string(codes)});
  }
}

json::array stored_list(std::string_view text) { return exact_list(text); }

}  // namespace waybill::api
