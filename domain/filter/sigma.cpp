#include "domain/filter/sigma.hpp"

#include <algorithm>
#include <array>

namespace waybill::domain::odata {
namespace {

constexpr std::size_t sigma_bytes = 2;

bool is_sigma_at(std::string_view text, std::size_t at) {
  constexpr auto forms = std::to_array<std::string_view>({"Σ", "σ", "ς"});
  return std::ranges::find(forms, text.substr(at, sigma_bytes)) != forms.end();
}

}  // namespace

bool has_sigma(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_sigma_at(text, at)) return true;
  }
  return false;
}

std::string with_sigmas_as(std::string_view text, std::string_view form) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (is_sigma_at(text, at)) {
      result += form;
      at += sigma_bytes;
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::string folded_sigmas(std::string_view sql) { return "translate(" + std::string(sql) + ", 'ς', 'σ')"; }

std::string sigma_spellings(std::string_view sql) {
  const std::string text(sql), in_capitals = folded_sigmas(text);
  return "array[" + text + ", " + in_capitals + ", regexp_replace(" + in_capitals + ", 'σ\\M', 'ς', 'g')]";
}

}  // namespace waybill::domain::odata
