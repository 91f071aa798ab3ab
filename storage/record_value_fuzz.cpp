// Whatever can be read gives views of memory that is there.
#include <cstddef>
#include <cstdint>

#include "storage/record_value.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static waybill::storage::RecordValue record;
  if (!record.parse({reinterpret_cast<const char*>(data), size})) return 0;
  volatile char read = 0;
  for (const auto& field : record.fields()) {
    for (const char c : field.value_or("")) read = c;
  }
  return 0;
}
