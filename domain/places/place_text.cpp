#include "domain/places/place_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"

namespace waybill::domain {
namespace {

constexpr auto npos = std::string_view::npos;

bool has_digit(std::string_view word) { return std::ranges::any_of(word, is_digit); }

/// True for the Roman numbers of districts, up to 39.
bool is_roman_number(std::string_view word) { return !word.empty() && word.find_first_not_of("ivx") == npos; }

// Words next to the number of a district or a delivery office.
constexpr std::string_view number_words[] = {"cedex",          "bp",  "er",     "eme",
                                             "arrondissement", "arr", "bezirk", "kerulet"};

struct Abbreviation {
  std::string_view word;
  std::string_view meaning;
};
constexpr auto abbreviations = std::to_array<Abbreviation>({
    {"b", "bad"},      {"cd", "ciudad"},      {"cnel", "coronel"},    {"colo", "colorado"},
    {"gl", "gammel"},  {"gov", "governador"}, {"gr", "gross"},        {"gr", "grosse"},
    {"gr", "great"},   {"gral", "general"},   {"gt", "great"},        {"kl", "klein"},
    {"kl", "kleine"},  {"lt", "little"},      {"lwr", "lower"},       {"no", "north"},
    {"nr", "norre"},   {"nva", "nueva"},      {"pres", "presidente"}, {"pt", "point"},
    {"pt", "port"},    {"pte", "pointe"},     {"pto", "puerto"},      {"pto", "porto"},
    {"s", "san"},      {"s", "sao"},          {"s", "santo"},         {"s", "santa"},
    {"sdr", "sonder"}, {"skt", "sankt"},      {"sn", "san"},          {"so", "south"},
    {"st", "store"},   {"sv", "sveti"},       {"upr", "upper"},       {"v", "vila"},
    {"v", "villa"},    {"va", "virginia"},    {"в", "великии"},       {"н", "нижнии"},
    {"н", "новыи"},    {"с", "санкт"},
});

// Longer beginnings come first.
constexpr std::string_view kinds_before[] = {
    "city of ",
    "co ",
    "county ",
    "town of ",
    "city and county of ",
    "municipality of ",
    "ville de ",
    "commune de ",
    "comune di ",
    "ciudad de ",
    "cidade de ",
    "stadt ",
    "landeshauptstadt ",
    "hansestadt ",
    "gemeente ",
    "kota ",
    "greater ",
    "thanh pho ",
    "tp ",
    "gorod ",
    "г ",
    "гор ",
    "город ",
    "м ",
    "місто ",
    "гр ",
    "град ",
    "с ",
    "село ",
    "п ",
    "пгт ",
    "مدينه ",
};
constexpr std::string_view kinds_after[] = {
    " city",   " town",   " township", " village", " borough", " municipality", " cdp",      " selatan",
    " utara",  " barat",  " timur",    " pusat",   " stadt",   " kommune",      " kommun",   " shi",
    " ku",     " si",     " gu",       " gun",     " do",      " cho",          " machi",    " mura",
    " centre", " center", " downtown", " cbd",     " merkez",  " metro",        " district",
};

// Cities and districts in Chinese, Japanese and Korean; the Korean ones as Gazetteer::fold decomposes them.
constexpr std::string_view eastern_kinds[] = {
    "市",
    "区",
    "區",
    "県",
    "縣",
    "县",
    "府",
    "都",
    "省",
    "町",
    "村",
    "镇",
    "鎮",
    "\u1110\u1173\u11A8\u1107\u1167\u11AF\u1109\u1175",
    "\u1100\u116A\u11BC\u110B\u1167\u11A8\u1109\u1175",
    "\u1109\u1175",
    "\u1100\u116E",
    "\u1100\u116E\u11AB",
};
constexpr std::string_view city_kind = "市";
constexpr std::string_view metropolis_kind = "都";
constexpr std::string_view province_kinds[] = {"府", "県", "縣", "省"};

std::string without_eastern_kind(std::string_view text) {
  for (const auto kind : eastern_kinds) {
    if (text.size() > kind.size() && text.ends_with(kind))
      return std::string(text.substr(0, text.size() - kind.size()));
  }
  return {};
}

/// Adds the readings of an address that begins with its largest part.
void add_eastern_readings(std::string_view folded, std::vector<std::string>& readings) {
  const auto add = [&](std::string_view text) {
    if (text.empty()) return;
    readings.emplace_back(text);
    if (auto shorter = without_eastern_kind(text); !shorter.empty()) readings.push_back(std::move(shorter));
  };
  auto text = trimmed(folded.substr(0, folded.find_first_of("0123456789")));
  add(text);
  if (const auto city = text.rfind(city_kind); city != npos) {
    std::size_t begin = 0;
    for (const auto kind : province_kinds) {
      const auto province = city == 0 ? npos : text.rfind(kind, city - 1);
      if (province != npos) begin = std::max(begin, province + kind.size());
    }
    add(text.substr(begin, city + city_kind.size() - begin));
  }
  if (const auto metropolis = text.find(metropolis_kind); metropolis != npos)
    add(text.substr(0, metropolis + metropolis_kind.size()));
  const auto first_word = text.substr(0, text.find(' '));
  if (first_word != text) add(without_eastern_kind(first_word));
}

}  // namespace

std::vector<std::string> words_of(std::string_view folded) {
  std::vector<std::string> words;
  while (!folded.empty()) {
    const auto end = std::min(folded.find(' '), folded.size());
    if (end > 0) words.emplace_back(folded.substr(0, end));
    folded.remove_prefix(std::min(end + 1, folded.size()));
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) { return joined_texts(words, " "); }

std::vector<std::string_view> parts_of(std::string_view written) {
  constexpr std::string_view separators[] = {",", ";", "|", "\n", "、", "，", "،", " - ", " – ", " — "};
  std::vector<std::string_view> parts;
  while (!written.empty()) {
    std::size_t end = written.size();
    std::size_t length = 0;
    for (const auto separator : separators) {
      if (const auto found = written.find(separator); found < end) {
        end = found;
        length = separator.size();
      }
    }
    if (const auto part = trimmed(written.substr(0, end)); !part.empty()) parts.push_back(part);
    written.remove_prefix(end + length);
  }
  return parts;
}

Qualified qualified(std::string_view written) {
  constexpr std::string_view marks[] = {"(", "/", "[", "（"};
  Qualified found;
  std::size_t first = written.size();
  for (const auto mark : marks) {
    const auto at = written.find(mark);
    if (at >= first) continue;
    first = at;
    found = {.name = trimmed(written.substr(0, at)), .qualifier = trimmed(written.substr(at + mark.size()))};
  }
  return found.name.empty() ? Qualified() : found;
}

std::string without_numbers(std::string_view folded) {
  const auto words = words_of(folded);
  std::vector<bool> is_number(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(number_words, words[i]) != std::end(number_words)) is_number[i] = true;
    if (!has_digit(words[i])) continue;
    is_number[i] = true;
    // "D-10115 Berlin": the letters of a country.
    if (i == 1 && words.size() > 2 && words[0].size() <= 2) is_number[0] = true;
    // "1012 AB Amsterdam": the letters of a Dutch postal code.
    const bool has_letters = words[i].size() == 4 && all_digits(words[i]) && i + 1 < words.size();
    if (has_letters && words[i + 1].size() == 2) is_number[i + 1] = true;
  }
  if (words.size() > 1 && is_roman_number(words.back())) is_number.back() = true;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_number[i]) rest.push_back(words[i]);
  }
  return rest.empty() ? std::string(folded) : joined(rest);
}

std::vector<std::string> written_out(std::string_view folded) {
  std::vector<std::string> texts;
  constexpr std::size_t most_words = 8;
  auto words = words_of(folded);
  if (words.size() < 2 || words.size() > most_words) return texts;
  for (auto& word : words) {
    for (const auto& [abbreviation, meaning] : abbreviations) {
      if (word != abbreviation) continue;
      const auto written = std::exchange(word, std::string(meaning));
      texts.push_back(joined(words));
      word = written;
    }
  }
  return texts;
}

std::vector<std::string> without_kinds(std::string_view folded) {
  std::vector<std::string> readings;
  auto rest = folded;
  for (const auto kind : kinds_before) {
    if (!rest.starts_with(kind)) continue;
    rest.remove_prefix(kind.size());
    readings.emplace_back(rest);
  }
  for (const auto kind : kinds_after) {
    if (!rest.ends_with(kind)) continue;
    rest.remove_suffix(kind.size());
    readings.emplace_back(rest);
  }
  const bool is_ascii =
      std::ranges::all_of(folded, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!is_ascii) add_eastern_readings(folded, readings);
  return readings;
}

std::string without_district_letters(std::string_view folded) {
  constexpr std::size_t most_letters = 2;
  auto words = words_of(folded);
  if (words.size() < 2 || words.back().size() > most_letters) return std::string(folded);
  words.pop_back();
  return joined(words);
}

std::string without_spelt_umlauts(std::string_view folded) {
  std::string name(folded);
  for (const std::string_view pair : {"ae", "oe", "ue"}) {
    for (auto at = name.find(pair); at != std::string::npos; at = name.find(pair, at + 1))
      name.erase(at + 1, 1);
  }
  return name;
}

}  // namespace waybill::domain
