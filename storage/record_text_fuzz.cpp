// Whatever can be read must, printed the way PostgreSQL prints it, read back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "storage/record_text.hpp"

namespace {

std::string print(std::span<const std::optional<std::string_view>> fields) {
  std::string text = "(";
  for (const auto& field : fields) {
    if (text.size() > 1 || &field != fields.data()) text += ',';
    if (!field) continue;
    text += '"';
    for (const char c : *field) {
      if (c == '"' || c == '\\') text += c;
      text += c;
    }
    text += '"';
  }
  return text + ')';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  waybill::storage::RecordText first;
  if (!first.parse({reinterpret_cast<const char*>(data), size})) return 0;
  const std::string printed = print(first.fields());
  waybill::storage::RecordText second;
  if (!second.parse(printed)) std::abort();
  if (!std::equal(first.fields().begin(), first.fields().end(), second.fields().begin(),
                  second.fields().end())) {
    std::abort();
  }
  return 0;
}
