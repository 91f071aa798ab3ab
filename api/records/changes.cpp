#include "api/records/changes.hpp"

#include "api/records/fields.hpp"

namespace waybill::api {
void add_related_guid(const json::object& body, std::string_view flat, std::string_view nested,
                      std::string_view column, json::object& changes) {
  auto guid = guid_at(body, flat);
  if (!guid) guid = guid_at(body, nested);
  const auto object = nested.substr(0, nested.find('.'));
  if (guid) {
    changes.emplace(column, guid->to_string());
  } else if (is_null_at(body, flat) || is_null_at(body, object) || is_null_at(body, nested)) {
    changes.emplace(column, nullptr);
  }
}

}  // namespace waybill::api
