#include "connectors/page_link.hpp"

#include "connectors/store_text.hpp"

namespace waybill::connectors {

std::optional<std::string> page_link(const json::value* value, std::size_t limit) {
  auto link = clean_identifier(value, std::string::npos);
  const bool is_address = link && (link->starts_with("https://") || link->starts_with("http://")) &&
                          link->find_first_of(" \"<>\\") == std::string::npos;
  return is_address && link->size() <= limit ? link : std::nullopt;
}

}  // namespace waybill::connectors
