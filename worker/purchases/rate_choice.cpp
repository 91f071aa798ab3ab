#include "worker/purchases/rate_choice.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/joined_texts.hpp"
#include "base/json.hpp"

namespace waybill::worker {
namespace {

using connectors::AskedCarrier;
using connectors::CarrierRate;
using domain::PurchaseMessage;

/// A member of a wish was read, was not there, or is wrong.
enum class Read : std::uint8_t { yes, missing, wrong };

Read read_text(const json::object& object, std::string_view name, std::string& text) {
  const json::value* const value = object.if_contains(name);
  if (value == nullptr || value->is_null()) return Read::missing;
  if (!value->is_string()) return Read::wrong;
  text = std::string_view(value->get_string());
  return text.empty() ? Read::wrong : Read::yes;
}

/// Calls `take` with each text of a list; false if it is not a list of texts, or `take` returns false.
template <typename Take>
bool read_texts(const json::object& object, std::string_view name, Take take) {
  const json::value* const value = object.if_contains(name);
  if (value == nullptr || value->is_null()) return true;
  if (!value->is_array()) return false;
  return std::ranges::all_of(value->get_array(), [&](const json::value& each) {
    return each.is_string() && take(std::string_view(each.get_string()));
  });
}

bool read_guid(std::string_view text, Guid& guid) {
  const auto parsed = Guid::parse(text);
  if (parsed) guid = *parsed;
  return parsed.has_value();
}

std::optional<WantedRate::Shown> read_shown(const json::value& value) {
  const json::object* const object = value.if_object();
  if (object == nullptr) return std::nullopt;
  WantedRate::Shown shown;
  std::string carrier;
  if (read_text(*object, "carrierId", carrier) != Read::yes || !read_guid(carrier, shown.carrier) ||
      read_text(*object, "serviceCode", shown.service_code) != Read::yes ||
      read_text(*object, "currency", shown.price.currency) != Read::yes)
    return std::nullopt;
  const json::value* const price = object->if_contains("price");
  if (price == nullptr) return std::nullopt;
  shown.price.amount = price->is_string() ? std::string(std::string_view(price->get_string()))
                                          : decimal_text(*price).value_or("");
  if (!domain::is_amount(shown.price.amount)) return std::nullopt;
  const json::value* const days = object->if_contains("transitDays");
  if (days != nullptr && days->is_int64()) shown.transit_days = static_cast<int>(days->get_int64());
  return shown;
}

/// Reads by what the rate is chosen; false if a member is wrong.
bool read_manner(const json::object& object, std::string_view service_level, WantedRate& wanted) {
  if (const json::value* const rate = object.if_contains("rate"); rate != nullptr && !rate->is_null()) {
    wanted.by = WantedRate::By::rate;
    wanted.rate = read_shown(*rate);
    return wanted.rate.has_value();
  }
  std::string choose;
  const Read chooses = read_text(object, "choose", choose);
  const Read has_level = read_text(object, "serviceLevel", wanted.level);
  if (chooses == Read::wrong || has_level == Read::wrong) return false;
  if (chooses == Read::yes) {
    wanted.by = choose == "fastest" ? WantedRate::By::fastest : WantedRate::By::cheapest;
    return choose == "fastest" || choose == "cheapest";
  }
  if (has_level == Read::missing) wanted.level = service_level;
  wanted.by = wanted.level.empty() ? WantedRate::By::cheapest : WantedRate::By::level;
  return true;
}

bool is_wanted(const WantedRate& wanted, const AskedCarrier& asked, const CarrierRate& rate) {
  const auto has = [](const auto& list, const auto& each) {
    return list.empty() || std::ranges::find(list, each) != list.end();
  };
  if (!has(wanted.carriers, asked.carrier.guid) || !has(wanted.service_codes, rate.service_code))
    return false;
  switch (wanted.by) {
    case WantedRate::By::rate:
      return asked.carrier.guid == wanted.rate->carrier && rate.service_code == wanted.rate->service_code;
    case WantedRate::By::level: {
      const auto code = asked.carrier.service_code_of(wanted.level);
      return code ? *code == rate.service_code : !wanted.service_codes.empty();
    }
    case WantedRate::By::cheapest:
    case WantedRate::By::fastest:
      break;
  }
  return true;
}

struct Candidate {
  std::size_t carrier;
  const CarrierRate* rate;

  int transit() const { return rate->transit_days.value_or(std::numeric_limits<int>::max()); }
  std::strong_ordering by_price(const Candidate& other) const {
    return domain::compare_amounts(rate->price, other.rate->price).value();
  }
};

/// True if `a` is cheaper, or costs the same and is faster. Both have one currency.
bool goes_before(const Candidate& a, const Candidate& b) {
  const auto price = a.by_price(b);
  return price != 0 ? price < 0 : a.transit() < b.transit();
}

/// The difference of a rate from the chosen one of its service; 0 for that very rate.
int difference(const WantedRate::Shown& shown, const CarrierRate& rate) {
  const bool has_price =
      domain::compare_amounts(rate.price, shown.price.amount) == std::strong_ordering::equal;
  return (rate.transit_days == shown.transit_days ? 0 : 2) + (has_price ? 0 : 1);
}

PurchaseMessage other_currency(bool by_time) {
  return {"OTHER_CURRENCY", std::string(by_time ? "The fastest rates" : "The rates") +
                                " have several currencies. Give maxPrice: its currency counts."};
}

/// The candidates, and the reason why other wanted rates are not.
struct Sifted {
  std::vector<Candidate> candidates;
  bool has_changed = false, has_other_currency = false;
  bool has_chosen_changed = false;              // a dearer one has the transit time of the chosen rate
  std::string changed_currency;                 // of the chosen service, if it is not that of the chosen rate
  const CarrierRate* cheapest_above = nullptr;  // of those above maxPrice
};

Sifted sift(const WantedRate& wanted, std::span<const AskedCarrier> asked,
            const std::optional<domain::Money>& max_price) {
  Sifted sifted;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (const CarrierRate& rate : asked[i].answer.rates) {
      const domain::Money price{rate.price, rate.currency};
      if (!is_wanted(wanted, asked[i], rate) || !domain::is_price(rate.price)) continue;
      const auto refusal = domain::price_refusal(price, max_price);
      if (wanted.rate && price.currency != wanted.rate->price.currency) {
        sifted.changed_currency = price.currency;
      } else if (wanted.rate && domain::is_dearer(price, wanted.rate->price)) {
        sifted.has_changed = true;
        sifted.has_chosen_changed |= rate.transit_days == wanted.rate->transit_days;
      } else if (refusal == "OTHER_CURRENCY") {
        sifted.has_other_currency = true;
      } else if (!refusal.empty()) {
        if (sifted.cheapest_above == nullptr ||
            domain::compare_amounts(rate.price, sifted.cheapest_above->price) == std::strong_ordering::less)
          sifted.cheapest_above = &rate;
      } else {
        sifted.candidates.push_back({i, &rate});
      }
    }
  }
  return sifted;
}

/// Keeps the candidates that are most like the rate that a person has chosen: none if that rate is dearer
/// now, and the others of its service have another transit time.
void keep_chosen(Sifted& sifted, const WantedRate::Shown& shown) {
  constexpr int of_same_time = 1;
  int least = sifted.has_chosen_changed ? of_same_time : std::numeric_limits<int>::max();
  for (const Candidate& each : sifted.candidates) least = std::min(least, difference(shown, *each.rate));
  std::erase_if(sifted.candidates,
                [&](const Candidate& each) { return difference(shown, *each.rate) > least; });
}

/// The first codes, as a list.
std::string first_codes(std::span<const std::string> codes) {
  constexpr std::size_t most = 8;
  if (codes.size() <= most) return joined_texts(codes);
  return joined_texts(codes.first(most)) + ", …";
}

/// The rate that was looked for, as the end of a sentence.
std::string sought(const WantedRate& wanted) {
  std::string text;
  if (wanted.by == WantedRate::By::rate) text = " with the service " + wanted.rate->service_code;
  if (wanted.by == WantedRate::By::level) text = " with the service level " + wanted.level;
  if (!wanted.service_codes.empty()) text += " of the services " + first_codes(wanted.service_codes);
  return text;
}

/// The answer of a carrier that has no wanted rate.
std::string answer_of(const WantedRate& wanted, const AskedCarrier& asked) {
  std::string text = " " + asked.carrier.name;
  if (wanted.by == WantedRate::By::level && wanted.service_codes.empty()) {
    const auto code = asked.carrier.service_code_of(wanted.level);
    text += code ? " (" + std::string(*code) + ")" : " (no code for this level)";
  }
  if (asked.failure) return text + ": " + asked.failure->message().text;
  std::vector<std::string> offered;
  for (const CarrierRate& rate : asked.answer.rates) {
    if (std::ranges::find(offered, rate.service_code) == offered.end()) offered.push_back(rate.service_code);
  }
  if (!offered.empty()) return text + ": offers " + first_codes(offered) + ".";
  return text + ": " +
         (asked.answer.messages.empty() ? "no rates, and no reason." : asked.answer.messages.front().text);
}

/// The attempts and the answer of each carrier.
std::string no_rate(const WantedRate& wanted, std::span<const AskedCarrier> asked) {
  constexpr std::size_t longest = 1'000;
  std::string text = "No carrier has a rate" + sought(wanted) + " for this shipment.";
  for (const AskedCarrier& each : asked) {
    if (text.size() < longest) text += answer_of(wanted, each);
  }
  return text;
}

}  // namespace

std::optional<WantedRate> read_wanted(std::string_view wanted, std::string_view service_level) {
  const auto parsed = parse_json(wanted);
  const auto* const value = std::get_if<json::value>(&parsed);
  const json::object* const object = value == nullptr ? nullptr : value->if_object();
  WantedRate read;
  if (object == nullptr || !read_manner(*object, service_level, read)) return std::nullopt;
  const bool are_read = read_texts(*object, "serviceCodes",
                                   [&](std::string_view code) {
                                     read.service_codes.emplace_back(code);
                                     return true;
                                   }) &&
                        read_texts(*object, "carrierIds", [&](std::string_view text) {
                          return read_guid(text, read.carriers.emplace_back());
                        });
  if (!are_read) return std::nullopt;
  const auto* const usual_format = object->if_contains("usualFormat");
  read.takes_usual_format = usual_format != nullptr && *usual_format == json::value(true);
  return read;
}

std::variant<ChosenRate, PurchaseMessage> choose_rate(const WantedRate& wanted,
                                                      std::span<const AskedCarrier> asked,
                                                      const std::optional<domain::Money>& max_price) {
  Sifted sifted = sift(wanted, asked, max_price);
  if (wanted.rate) keep_chosen(sifted, *wanted.rate);
  if (sifted.candidates.empty()) {
    if (sifted.has_changed)
      return PurchaseMessage{"PRICE_CHANGED", "The carrier's price is above the rate that was chosen."};
    if (!sifted.changed_currency.empty()) {
      return PurchaseMessage{"PRICE_CHANGED", "The carrier's price is in " + sifted.changed_currency +
                                                  " now; the rate that was chosen is in " +
                                                  wanted.rate->price.currency + "."};
    }
    if (const auto* const rate = sifted.cheapest_above) {
      return PurchaseMessage{"TOO_EXPENSIVE", "Each rate is above maxPrice; the lowest is " + rate->price +
                                                  " " + rate->currency + "."};
    }
    if (sifted.has_other_currency)
      return PurchaseMessage{"OTHER_CURRENCY", "Each rate is in another currency than maxPrice."};
    return PurchaseMessage{std::string(no_rate_code), no_rate(wanted, asked)};
  }
  const bool by_time = wanted.by == WantedRate::By::fastest;
  const int shortest = std::ranges::min(sifted.candidates, {}, &Candidate::transit).transit();
  // The first of equal ones.
  const Candidate* best = nullptr;
  for (const Candidate& each : sifted.candidates) {
    if (by_time && each.transit() != shortest) continue;
    if (best != nullptr && each.rate->currency != best->rate->currency) return other_currency(by_time);
    if (best == nullptr || goes_before(each, *best)) best = &each;
  }
  return ChosenRate{best->carrier, *best->rate};
}

}  // namespace waybill::worker
