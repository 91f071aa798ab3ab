#include "matching/digest_list.hpp"

#include <utility>

namespace waybill::matching {

json::object item_members(std::uint64_t event_id, std::string_view type, Time at,
                          const json::object& previous) {
  return {{"event", {{"id", event_id}, {"type", type}, {"timestamp", format_timestamp(at)}}},
          {"previous", previous}};
}

json::object list_of_one(const domain::Digest& digest, json::object entity, const json::object& previous,
                         std::uint64_t event_id, std::string_view type, Time at) {
  json::value by = digest.value_of(entity);
  for (auto& [name, value] : item_members(event_id, type, at, previous)) entity[name] = std::move(value);
  json::array items;
  items.push_back(std::move(entity));
  return {{"count", 1}, {"items", std::move(items)}, {"by", std::move(by)}};
}

}  // namespace waybill::matching
