#include "domain/values/hs_code.hpp"

#include "base/ascii.hpp"
#include "base/blanks.hpp"

namespace waybill::domain {

std::optional<std::string> hs_code(std::string_view text) {
  constexpr std::size_t shortest = 6, longest = 10;
  std::string code = without_blanks(text);
  std::erase(code, '.');
  if (!all_digits(code) || code.size() < shortest || code.size() > longest) return std::nullopt;
  return code;
}

}  // namespace waybill::domain
