#include "connectors/woocommerce/sweep.hpp"

#include "base/number.hpp"
#include "connectors/woocommerce/orders.hpp"
#include "domain/workflows/retry.hpp"

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

// True for an object in place of a list: PHP writes a list with gaps with its indices as keys.
bool has_indices(const json::value& body) {
  const auto* const object = body.if_object();
  return object != nullptr && !object->empty() && !elements_of(&body).empty();
}

asio::awaitable<WooPage> ask_once(WooClient& client, const WooList& list, WooClient::Parameters parameters,
                                  const std::string& fields) {
  parameters.insert(parameters.end(), list.parameters.begin(), list.parameters.end());
  parameters.emplace_back("_fields", fields);
  auto answer = co_await client.expect("GET", list.route, std::move(parameters));
  auto listing = woo_listing(answer, client.clock());
  co_return WooPage{.answer = std::move(answer), .listing = std::move(listing), .failure = {}};
}

// The request for one row of the cursor's page.
WooClient::Parameters smallest(const WooCursor& cursor) {
  auto parameters = cursor.parameters();
  const bool is_one = cursor.size().value() == 1;
  for (auto& [name, value] : parameters) {
    if (name == "per_page" || (name == "page" && !is_one)) value = "1";
  }
  return parameters;
}

}  // namespace

std::vector<const json::value*> woo_rows(const WooClient::Answer& answer) {
  if (!answer.body.is_array() && !has_indices(answer.body)) {
    throw StoreError(StoreProblem::wrong_store,
                     "The server at the store's address is not WooCommerce: it returns no list.");
  }
  return elements_of(&answer.body);
}

WooListing woo_listing(const WooClient::Answer& answer, const Clock& clock) {
  WooListing listing{.rows = {},
                     .total = count(answer.response, "x-wp-total"),
                     .pages = count(answer.response, "x-wp-totalpages"),
                     .asked_at = asked_at(answer.response, clock.now())};
  for (const auto* const row : woo_rows(answer)) {
    listing.rows.push_back({.id = clean_identifier(woo::member(row, "id")).value_or(""),
                            .modified = woo::time_of(woo::member(row, "date_modified_gmt"))});
  }
  return listing;
}

asio::awaitable<void> read_woo_list(WooClient& client, std::string route, WooClient::Parameters parameters,
                                    PageSize size, std::function<void()> begin,
                                    std::function<void(const json::value& row)> add, StoreError too_long) {
  constexpr std::size_t most_rows = 5000;
  begin();
  for (std::size_t page = 1;;) {
    auto query = parameters;
    query.emplace_back("page", std::to_string(page));
    query.emplace_back("per_page", std::to_string(size.value()));
    std::optional<WooClient::Answer> answer;
    std::optional<StoreError> failure;
    try {
      answer = co_await client.expect("GET", route, std::move(query));
    } catch (const StoreError& error) {
      failure = error;
    }
    if (failure) {
      if (!may_depend_on_size(*failure) || !size.shrink()) throw StoreError(*failure);
      page = 1;
      begin();
      continue;
    }
    const auto listing = woo_listing(*answer, client.clock());
    for (const auto* const row : woo_rows(*answer)) add(*row);
    const bool more = listing.pages ? page < *listing.pages : listing.rows.size() == size.value();
    if (!more || listing.rows.empty()) co_return;
    if (page * size.value() >= most_rows) throw StoreError(too_long);
    ++page;
  }
}

asio::awaitable<WooPage> ask_woo_page(WooClient& client, const WooList& list, WooCursor& cursor) {
  bool is_alive = false;
  while (true) {
    std::optional<StoreError> failure;
    try {
      co_return co_await ask_once(client, list, cursor.parameters(), list.fields);
    } catch (const StoreError& error) {
      if (!may_depend_on_size(error)) throw;
      failure = error;
    }
    if (is_alive && cursor.shrink()) continue;
    // The smallest request tells a store that cannot answer so much from one that cannot answer at all.
    std::optional<WooPage> named;
    try {
      named = co_await ask_once(client, list, smallest(cursor), list.state_fields);
    } catch (const StoreError&) {
      throw StoreError(*failure);
    }
    is_alive = true;
    if (cursor.shrink()) continue;
    named->failure = "The store cannot show it: " + std::string(failure->what());
    cursor.trust_size();
    co_return std::move(*named);
  }
}

asio::awaitable<bool> shows_woo_record(WooClient& client, const WooList& list, ShownRecords::Sample sample) {
  WooClient::Parameters parameters = {{"dates_are_gmt", "true"},
                                      {"order", sample.is_newest_first ? "desc" : "asc"},
                                      {"orderby", "modified"},
                                      {"page", std::to_string(sample.place + 1)},
                                      {"per_page", "1"}};
  try {
    const auto page = co_await ask_once(client, list, std::move(parameters), list.fields);
    co_return !page.listing.rows.empty();
  } catch (const StoreError& error) {
    if (!may_depend_on_size(error)) throw;
    co_return false;
  }
}

}  // namespace waybill::connectors
