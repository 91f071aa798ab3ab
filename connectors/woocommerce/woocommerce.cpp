#include "connectors/woocommerce/woocommerce.hpp"

#include <cctype>
#include <utility>

#include "base/ascii.hpp"
#include "connectors/store_call.hpp"
#include "connectors/woocommerce/orders.hpp"
#include "connectors/woocommerce/products.hpp"
#include "connectors/woocommerce/sweep.hpp"
#include "connectors/woocommerce/tracking.hpp"

namespace waybill::connectors {
namespace {

constexpr std::size_t most_variation_pages = 50;

class WooStore : public Store {
 public:
  WooStore(StoreCredentials credentials, Send send, const Clock& clock)
      : client_(std::move(credentials), std::move(send), clock), tracking_(client_) {}

  asio::awaitable<void> check(bool writes) override {
    // Requests the list as a sweep does, so that a store that cannot be swept is refused here.
    auto parameters = WooCursor(client_.clock().now()).parameters();
    std::erase_if(parameters, [](const auto& parameter) { return parameter.first == "per_page"; });
    parameters.emplace_back("per_page", "1");
    parameters.emplace_back("_fields", "id,date_modified_gmt");
    parameters.emplace_back("status", "any");
    const auto answer = co_await client_.expect("GET", "wc/v3/orders", std::move(parameters));
    woo_listing(answer, client_.clock());
    // An empty batch changes nothing, but the store checks the rights of the key and its user.
    if (writes) {
      co_await client_.expect("POST", "wc/v3/orders/batch", {}, {{"update", json::array()}});
    }
  }

  std::unique_ptr<StoreSweep<StoreOrder>> orders_since(std::optional<Time> since) override {
    using Sweep = WooSweep<StoreOrder>;
    const auto read = [](const json::value& row, StorePage<StoreOrder>& page) -> asio::awaitable<void> {
      woo::read_order(row, page);
      co_return;
    };
    return std::make_unique<Sweep>(
        client_,
        Sweep::List{.route = "wc/v3/orders",
                    .parameters = {{"_fields", std::string(woo::order_fields)}, {"status", "any"}}},
        since, read);
  }

  asio::awaitable<StorePage<StoreOrder>> order(std::string external_id) override {
    StorePage<StoreOrder> page;
    if (!all_digits(external_id)) co_return page;
    const auto answer = co_await client_.call("GET", "wc/v3/orders/" + external_id,
                                              {{"_fields", std::string(woo::order_fields)}});
    if (answer.response.status == 404 && !answer.lacks_endpoint()) co_return page;
    if (!answer.is_success()) throw woo_refusal(answer, "GET");
    woo::read_order(answer.body, page);
    co_return page;
  }

  std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) override {
    using Sweep = WooSweep<StoreProduct>;
    const auto read = [this](const json::value& row, StorePage<StoreProduct>& page) {
      return read_product(row, page);
    };
    return std::make_unique<Sweep>(
        client_,
        Sweep::List{.route = "wc/v3/products",
                    .parameters = {{"_fields", std::string(woo::product_fields)}, {"status", "any"}}},
        since, read);
  }

  asio::awaitable<bool> send_tracking(StoreTracking tracking) override {
    return tracking_.send(std::move(tracking));
  }

 private:
  asio::awaitable<void> read_product(const json::value& row, StorePage<StoreProduct>& page) {
    if (!units_) co_await learn_units();
    const std::size_t before = page.records.size();
    woo::read_product(row, *units_, page);
    if (page.records.size() > before && woo::has_variations(row)) {
      co_await read_variants(page.records.back());
    }
  }

  // If the user may not see the settings, the units are unknown, and measures are left out.
  asio::awaitable<void> learn_units() {
    const auto answer = co_await client_.call("GET", "wc/v3/settings/products");
    units_ = answer.is_success() ? woo::units_of(answer.body) : woo::Units();
  }

  asio::awaitable<void> read_variants(StoreProduct& product) {
    const std::string route = "wc/v3/products/" + product.external_id + "/variations";
    for (std::size_t page = 1;; ++page) {
      const auto answer = co_await client_.call("GET", route,
                                                {{"_fields", std::string(woo::variation_fields)},
                                                 {"order", "asc"},
                                                 {"orderby", "id"},
                                                 {"page", std::to_string(page)},
                                                 {"per_page", std::to_string(WooCursor::page_size)}});
      if (answer.response.status == 404 && !answer.lacks_endpoint()) co_return;  // deleted in the meantime
      if (!answer.is_success()) throw woo_refusal(answer, "GET");
      const auto listing = woo_listing(answer, client_.clock());
      for (const json::value& row : answer.body.get_array()) woo::add_variant(row, *units_, product);
      const bool more = listing.pages ? page < *listing.pages : listing.rows.size() == WooCursor::page_size;
      if (!more || listing.rows.empty()) co_return;
      if (page == most_variation_pages)
        throw StoreError(StoreProblem::refused, "A product of the store has more than 5000 variations.");
    }
  }

  WooClient client_;
  WooTracking tracking_;
  std::optional<woo::Units> units_;
};

// True for the unsigned test call that WooCommerce makes when a webhook is saved: `webhook_id=7`.
bool is_ping(std::string_view body) {
  constexpr std::string_view name = "webhook_id=";
  if (!body.starts_with(name)) return false;
  return all_digits(body.substr(name.size()));
}

}  // namespace

const ProviderTerms& WooCommerce::terms() const {
  static constexpr ProviderTerms terms = {.code = "woocommerce",
                                          .name = "WooCommerce",
                                          .type = "ecommerce",
                                          .api_key = "Consumer key (ck_…)",
                                          .api_secret = "Consumer secret (cs_…)",
                                          .store_url = "https://shop.example"};
  return terms;
}

std::string WooCommerce::normal_url(std::string_view store_url) const {
  auto url = normal_store_url(store_url);
  // Removes paths that users copy from their browser.
  for (const std::string_view part : {"/wp-json", "/wp-admin"}) {
    const auto at = url.find(part);
    const auto end = at + part.size();
    if (at != std::string::npos && (end == url.size() || url[end] == '/')) url.resize(at);
  }
  return url;
}

// WooCommerce redirects this address to its own page of orders if orders are not posts (HPOS).
std::string WooCommerce::order_page(std::string_view store_url, std::string_view external_id) const {
  return std::string(store_url) + "/wp-admin/post.php?action=edit&post=" + std::string(external_id);
}

std::unique_ptr<Store> WooCommerce::open(StoreCredentials credentials, Send send, const Clock& clock,
                                         const Options& /*options*/) const {
  return std::make_unique<WooStore>(std::move(credentials), std::move(send), clock);
}

InboundVerdict WooCommerce::verify(const StoreCredentials& credentials, const InboundCall& call) const {
  const auto signature = call.header("x-wc-webhook-signature");
  InboundVerdict verdict;
  if (!signature) {
    if (is_ping(call.body)) verdict.kind = InboundVerdict::Kind::ping;
    return verdict;
  }
  if (credentials.api_secret.empty() || !signature_matches(credentials.api_secret, call.body, *signature)) {
    return verdict;
  }
  verdict.kind = InboundVerdict::Kind::hint;
  if (const auto id = call.header("x-wc-webhook-delivery-id")) verdict.delivery_id = clean_text(*id, 200);
  return verdict;
}

}  // namespace waybill::connectors
