// Checks that parsed values have readable views, and that parsing the same bytes again gives equal values.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "storage/events/record_value.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static waybill::storage::RecordValue record;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!record.parse(bytes)) return 0;
  std::vector<std::optional<std::string>> first;
  for (const auto& field : record.fields()) field ? first.emplace_back(*field) : first.emplace_back();
  if (!record.parse(bytes) || record.fields().size() != first.size()) std::abort();
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != record.fields()[i]) std::abort();
  }
  return 0;
}
