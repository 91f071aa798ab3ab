#include "connectors/tracking_number.hpp"

#include "connectors/store_text.hpp"

namespace waybill::connectors {

std::optional<std::string> tracking_number_in(const json::value* value) {
  auto whole = clean_identifier(value, std::string::npos);
  if (whole && whole->size() > longest_tracking_number) return std::nullopt;
  return whole;
}

}  // namespace waybill::connectors
