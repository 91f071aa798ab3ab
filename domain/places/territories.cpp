#include "domain/places/territories.hpp"

#include <algorithm>
#include <array>

namespace waybill::domain {
namespace {

constexpr std::string_view of_australia[] = {"CC", "CX", "NF"};
constexpr std::string_view of_china[] = {"HK", "MO"};
constexpr std::string_view of_denmark[] = {"FO", "GL"};
constexpr std::string_view of_finland[] = {"AX"};
constexpr std::string_view of_france[] = {"BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "WF", "YT"};
constexpr std::string_view of_the_netherlands[] = {"AW", "BQ", "CW", "SX"};
constexpr std::string_view of_new_zealand[] = {"CK", "NU", "TK"};
constexpr std::string_view of_norway[] = {"SJ"};
constexpr std::string_view of_the_kingdom[] = {"AI", "BM", "FK", "GG", "GI", "IM",
                                               "JE", "KY", "MS", "SH", "TC", "VG"};
constexpr std::string_view of_the_states[] = {"AS", "GU", "MP", "PR", "VI"};

struct Territories {
  std::string_view country;
  std::span<const std::string_view> codes;
};
constexpr auto table = std::to_array<Territories>({
    {"AU", of_australia},
    {"CN", of_china},
    {"DK", of_denmark},
    {"FI", of_finland},
    {"FR", of_france},
    {"GB", of_the_kingdom},
    {"NL", of_the_netherlands},
    {"NO", of_norway},
    {"NZ", of_new_zealand},
    {"US", of_the_states},
});

struct Prefix {
  std::string_view country;
  std::string_view prefix;
  std::string_view territory;
};
// Source: the countries' sheets in the UPU's "Postal addressing systems".
constexpr auto prefixes = std::to_array<Prefix>({
    {"AU", "2899", "NF"},  {"AU", "6798", "CX"}, {"AU", "6799", "CC"}, {"DK", "39", "GL"},
    {"FI", "22", "AX"},    {"FR", "971", "GP"},  {"FR", "972", "MQ"},  {"FR", "973", "GF"},
    {"FR", "974", "RE"},   {"FR", "975", "PM"},  {"FR", "976", "YT"},  {"FR", "977", "BL"},
    {"FR", "978", "MF"},   {"FR", "986", "WF"},  {"FR", "987", "PF"},  {"FR", "988", "NC"},
    {"GB", "GX11", "GI"},  {"GB", "GY", "GG"},   {"GB", "IM", "IM"},   {"GB", "JE", "JE"},
    {"NO", "917", "SJ"},   {"US", "006", "PR"},  {"US", "007", "PR"},  {"US", "008", "VI"},
    {"US", "009", "PR"},   {"US", "9691", "GU"}, {"US", "9692", "GU"}, {"US", "9693", "GU"},
    {"US", "96799", "AS"}, {"US", "9695", "MP"},
});

}  // namespace

std::span<const std::string_view> territories_of(std::string_view code) {
  const auto* const found = std::ranges::find(table, code, &Territories::country);
  return found == table.end() ? std::span<const std::string_view>() : found->codes;
}

std::optional<std::string_view> territory_of_postal_code(std::string_view code,
                                                         std::string_view postal_code) {
  const auto* const found = std::ranges::find_if(prefixes, [&](const Prefix& row) {
    return row.country == code && postal_code.starts_with(row.prefix);
  });
  if (found == prefixes.end()) return std::nullopt;
  return found->territory;
}

}  // namespace waybill::domain
