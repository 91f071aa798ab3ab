#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/scan_order.hpp"

// Karrio's answers, read by exact_json: each number is a string.
namespace waybill::connectors::karrio {

inline constexpr std::size_t largest_label = 10UL * 1024 * 1024;

/// The clean line at a dotted path; empty if there is none.
std::string text_at(const json::value& answer, std::string_view path, std::size_t limit = 300);

/// The list at a dotted path; null if there is none.
const json::array* list_at(const json::value& answer, std::string_view path);

/// A carrier connection in Karrio.
struct Connection {
  std::string carrier_id;    // the name given to it; not unique
  std::string carrier_name;  // "ups"
  bool is_active = false;
};

/// The connections of a page; nullopt if the answer is not a list.
std::optional<std::vector<Connection>> read_connections(const json::value& answer);

/// True if a list has another page.
bool has_next_page(const json::value& answer);

/// The rates of the account's connection. A rate that cannot be bought, because a part is missing, becomes a
/// message. Throws GatewayError for too many rates.
RatesAnswer read_rates(const json::value& answer, const GatewayAccount& account);

/// A shipment in its state. nullopt if it cannot be read: it may be bought.
std::optional<FoundPurchase> read_shipment(const json::value& shipment);

/// The bytes and format of an entry of `shipping_documents` or of an answer with a label. The bytes decide
/// the format, because Karrio calls a PNG image a PDF. nullopt if there are no bytes, more than
/// `largest_label`, or those of another file, such as a carrier's page of HTML.
std::optional<LabelFile> read_label(const json::value& document);

/// A date or time in one of Karrio's forms.
std::optional<ScanTime> read_time(std::string_view text);

}  // namespace waybill::connectors::karrio
