#include "base/normal_form.hpp"

#include <cstdint>
#include <cstdlib>
#include <uninorm.h>
#include <utility>

#include "base/owned.hpp"

namespace waybill {

std::string compatibility_form(std::string_view utf8) {
  std::size_t size = 0;
  const Owned<std::uint8_t, std::free> form(u8_normalize(
      UNINORM_NFKC, reinterpret_cast<const std::uint8_t*>(utf8.data()), utf8.size(), nullptr, &size));
  return form ? std::string(reinterpret_cast<const char*>(form.get()), size) : std::string(utf8);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  auto at = text.find(from);
  if (at == std::string::npos) return;
  std::string replaced;
  std::size_t begin = 0;
  for (; at != std::string::npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = std::move(replaced.append(text, begin));
}

}  // namespace waybill
