#include "connectors/woocommerce/sweep.hpp"

#include "base/number.hpp"
#include "connectors/woocommerce/orders.hpp"
#include "domain/retry.hpp"

namespace waybill::connectors {
namespace {

std::optional<std::size_t> count(const net::HttpResponse& response, std::string_view header) {
  const auto text = response.header(header);
  if (!text) return std::nullopt;
  return parse_number<std::size_t>(*text);
}

// The time of the request by the Date of the store's answer; by our clock if there is no Date or the two are
// half a day apart.
Time asked_at(const net::HttpResponse& response, Time now) {
  constexpr auto half_a_day = std::chrono::hours(12);
  const Time base = now - half_a_day;
  const auto date = response.header("date");
  const auto since_base = date ? domain::parse_retry_after(*date, base) : std::nullopt;
  const bool is_known = since_base && *since_base < 2 * half_a_day;
  return (is_known ? base + *since_base : now) - response.duration;
}

}  // namespace

WooListing woo_listing(const WooClient::Answer& answer, const Clock& clock) {
  if (!answer.body.is_array()) {
    throw StoreError(StoreProblem::wrong_store,
                     "The server at the store's address is not WooCommerce: it returns no list.");
  }
  WooListing listing{.rows = {},
                     .total = count(answer.response, "x-wp-total"),
                     .pages = count(answer.response, "x-wp-totalpages"),
                     .asked_at = asked_at(answer.response, clock.now())};
  for (const json::value& row : answer.body.get_array()) {
    listing.rows.push_back({.id = clean_text(woo::member(&row, "id")).value_or(""),
                            .modified = woo::time_of(woo::member(&row, "date_modified_gmt"))});
  }
  return listing;
}

}  // namespace waybill::connectors
