#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/http/multipart.hpp"

// The first line of the input is the Content-Type. Parts must be within the body, in order, without the
// boundary.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using waybill::api::FormPart;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto line = input.find('\n');
  const auto type = input.substr(0, line);
  const auto body = line == std::string_view::npos ? std::string_view() : input.substr(line + 1);
  const auto parsed = waybill::api::parse_form(type, body);
  const auto* const parts = std::get_if<std::vector<FormPart>>(&parsed);
  if (parts == nullptr) return 0;
  const auto delimiter = "\r\n--" + waybill::api::header_parameter(type, "boundary") + "\r\n";
  const char* from = body.data();
  for (const auto& part : *parts) {
    const bool is_inside =
        part.content.data() >= from && part.content.data() + part.content.size() <= body.data() + body.size();
    if (!is_inside || part.name.empty()) std::abort();
    if (part.content.find(delimiter) != std::string_view::npos) std::abort();
    from = part.content.data() + part.content.size();
  }
  return 0;
}
