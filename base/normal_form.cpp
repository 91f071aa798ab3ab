#include "base/normal_form.hpp"

#include <cstdint>
#include <cstdlib>
#include <uninorm.h>

#include "base/owned.hpp"

namespace waybill {

std::string compatibility_form(std::string_view utf8) {
  std::size_t size = 0;
  const Owned<std::uint8_t, std::free> form(u8_normalize(
      UNINORM_NFKC, reinterpret_cast<const std::uint8_t*>(utf8.data()), utf8.size(), nullptr, &size));
  return form ? std::string(reinterpret_cast<const char*>(form.get()), size) : std::string(utf8);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace waybill
