#include <cstdint>
#include <cstdlib>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace {

namespace json = boost::json;

// Compares numbers by value, because 100.0 is written as 100 and read back as an integer.
bool same(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  if (a.kind() != b.kind()) return false;
  if (const auto* array = a.if_array()) {
    const auto& other = b.get_array();
    if (array->size() != other.size()) return false;
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (!same((*array)[i], other[i])) return false;
    }
    return true;
  }
  if (const auto* object = a.if_object()) {
    const auto& other = b.get_object();
    if (object->size() != other.size()) return false;
    for (const auto& member : *object) {
      const auto* value = other.if_contains(member.key());
      if (value == nullptr || !same(member.value(), *value)) return false;
    }
    return true;
  }
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = waybill::parse_json(text);
  const auto* value = std::get_if<json::value>(&parsed);
  if (value == nullptr) return 0;
  const std::string written = waybill::to_json(*value);
  const auto again = waybill::parse_json(written);
  const auto* read_back = std::get_if<json::value>(&again);
  if (!waybill::is_utf8(text) || read_back == nullptr || !same(*value, *read_back)) std::abort();
  return 0;
}
