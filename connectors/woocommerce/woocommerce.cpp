#include "connectors/woocommerce/woocommerce.hpp"

#include <cctype>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "connectors/store_call.hpp"
#include "connectors/woocommerce/orders.hpp"
#include "connectors/woocommerce/products.hpp"
#include "connectors/woocommerce/sweep.hpp"
#include "connectors/woocommerce/tracking.hpp"

namespace waybill::connectors {
namespace {

using OrderPage = StorePage<StoreOrder>;
using ProductPage = StorePage<StoreProduct>;

/// Reads the bin as well, because the status `any` leaves it out. The bin comes before the first page of the
/// list is given, so that an import that ends early has not moved past it, but after the list has answered,
/// so that a store that cannot answer is not asked for it.
class WooOrders : public StoreSweep<StoreOrder> {
 public:
  using Sweep = std::unique_ptr<StoreSweep<StoreOrder>>;
  WooOrders(Sweep list, Sweep bin) : list_(std::move(list)), bin_(std::move(bin)) {}

  asio::awaitable<std::optional<OrderPage>> next() override {
    if (!first_) first_.emplace(co_await list_->next());
    if (bin_) {
      if (auto page = co_await next_of_bin()) co_return page;
      bin_.reset();
    }
    if (!std::exchange(has_begun_, true)) co_return std::exchange(*first_, std::nullopt);
    co_return co_await list_->next();
  }

 private:
  /// A site that does not show its bin is read without it.
  asio::awaitable<std::optional<OrderPage>> next_of_bin() {
    std::optional<OrderPage> page;
    try {
      page = co_await bin_->next();
    } catch (const StoreError& error) {
      if (!may_depend_on_size(error)) throw;
    }
    if (page) page->reached.reset();
    co_return page;
  }

  Sweep list_, bin_;
  std::optional<std::optional<OrderPage>> first_;
  bool has_begun_ = false;
};

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
    const auto read = [this](const json::value& row, OrderPage& page) { return read_order(row, page); };
    auto list =
        std::make_unique<Sweep>(client_, order_list("any"), since, order_pages_, read, woo::set_aside_order);
    if (!since) return list;
    const auto read_bin = [](const json::value& row, OrderPage& page) -> asio::awaitable<void> {
      add_trash(row, page);
      co_return;
    };
    return std::make_unique<WooOrders>(
        std::move(list),
        std::make_unique<Sweep>(client_, bin_list(), since, bin_pages_, read_bin, woo::set_aside_order));
  }

  asio::awaitable<OrderPage> order(std::string external_id) override {
    OrderPage page;
    if (!all_digits(external_id)) co_return page;
    const auto answer = co_await client_.call("GET", "wc/v3/orders/" + external_id,
                                              {{"_fields", std::string(woo::order_fields)}});
    if (answer.response.status == 404 && answer.code == "woocommerce_rest_shop_order_invalid_id") {
      page.unreadable.push_back(
          {.external_id = external_id, .number = {}, .reason = {}, .status = "cancelled"});
      co_return page;
    }
    if (answer.response.status == 404 && !answer.lacks_endpoint()) co_return page;
    if (!answer.is_success()) throw woo_refusal(answer, "GET");
    co_await read_order(answer.body, page);
    co_return page;
  }

  std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) override {
    const auto read = [this](const json::value& row, ProductPage& page) { return read_product(row, page); };
    return std::make_unique<WooSweep<StoreProduct>>(
        client_,
        WooList{.route = "wc/v3/products",
                .parameters = {{"status", "any"}},
                .fields = std::string(woo::product_fields),
                .state_fields = std::string(woo::product_state_fields)},
        since, product_pages_, read, woo::set_aside_product);
  }

  asio::awaitable<ProductPage> product(std::string external_id) override {
    ProductPage page;
    if (!all_digits(external_id)) {
      page.unreadable.push_back(
          {.external_id = external_id, .number = {}, .reason = "Its id is not a number."});
      co_return page;
    }
    const auto answer = co_await client_.call("GET", "wc/v3/products/" + external_id,
                                              {{"_fields", std::string(woo::product_fields)}});
    if (answer.response.status == 404 && answer.code == "woocommerce_rest_product_invalid_id") co_return page;
    if (!answer.is_success()) throw woo_refusal(answer, "GET");
    co_await read_product(answer.body, page);
    co_return page;
  }

  asio::awaitable<bool> send_tracking(StoreTracking tracking) override {
    return tracking_.send(std::move(tracking));
  }

 private:
  static WooList order_list(std::string status) {
    return {.route = "wc/v3/orders",
            .parameters = {{"status", std::move(status)}},
            .fields = std::string(woo::order_fields),
            .state_fields = std::string(woo::order_state_fields)};
  }

  static WooList bin_list() {
    auto list = order_list("trash");
    list.fields = list.state_fields;
    return list;
  }

  /// Orders in the bin are cancelled; those that were never imported are not missed.
  static void add_trash(const json::value& row, OrderPage& page) {
    if (clean_text(woo::member(&row, "status")) == "trash") woo::set_aside_order(row, {}, page);
  }

  asio::awaitable<void> read_order(const json::value& row, OrderPage& page) {
    woo::RefundedLines refunded;
    if (woo::has_refunds(row)) {
      auto failure = co_await read_refunds(clean_text(woo::member(&row, "id")).value_or(""), refunded);
      if (!failure.empty()) {
        woo::set_aside_order(row, std::move(failure), page);
        co_return;
      }
    }
    woo::read_order(row, page, refunded);
  }

  /// Returns the reason why the refunds cannot be read; empty if they can. Throws StoreError if the store
  /// cannot be reached.
  asio::awaitable<std::string> read_refunds(std::string order, woo::RefundedLines& refunded) {
    std::string unreadable;
    const auto begin = [&] {
      refunded.clear();
      unreadable.clear();
    };
    const auto add = [&](const json::value& refund) {
      auto reason = woo::add_refund(refund, refunded);
      if (unreadable.empty()) unreadable = std::move(reason);
    };
    auto failure = co_await read_part("wc/v3/orders/" + order + "/refunds",
                                      {{"_fields", std::string(woo::refund_fields)}}, 20, begin, add,
                                      "Its refunds", "The order has too many refunds.");
    co_return failure.empty() ? std::move(unreadable) : std::move(failure);
  }

  /// Reads a list that belongs to one record. Returns the reason why it cannot be read, so that the others
  /// need not wait for it; after several in a row only if the store answers another request.
  asio::awaitable<std::string> read_part(std::string route, WooClient::Parameters parameters,
                                         std::size_t page_size, std::function<void()> begin,
                                         std::function<void(const json::value& row)> add,
                                         std::string_view name, std::string too_long) {
    constexpr int most_in_a_row = 3;
    std::optional<StoreError> failure;
    try {
      co_await read_woo_list(client_, std::move(route), std::move(parameters), PageSize(page_size),
                             std::move(begin), std::move(add),
                             StoreError(StoreProblem::refused, std::move(too_long)));
      failed_parts_ = 0;
      co_return std::string();
    } catch (const StoreError& error) {
      if (!may_depend_on_size(error)) throw;
      failure = error;
    }
    if (++failed_parts_ >= most_in_a_row) {
      co_await check(false);
      failed_parts_ = 0;
    }
    co_return std::string(name) + " cannot be read: " + failure->what();
  }

  asio::awaitable<void> read_product(const json::value& row, ProductPage& page) {
    if (!units_) co_await learn_units();
    const std::size_t before = page.records.size();
    woo::read_product(row, *units_, page);
    if (page.records.size() == before || !woo::has_variations(row)) co_return;
    auto failure = co_await read_variants(row, page.records.back());
    if (failure.empty()) co_return;
    page.records.pop_back();
    woo::set_aside_product(row, std::move(failure), page);
  }

  // If the user may not see the settings, the units are unknown, and measures are left out.
  asio::awaitable<void> learn_units() {
    const auto answer = co_await client_.call("GET", "wc/v3/settings/products");
    units_ = answer.is_success() ? woo::units_of(answer.body) : woo::Units();
  }

  asio::awaitable<std::string> read_variants(const json::value& row, StoreProduct& product) {
    std::set<std::string> ids;
    const auto begin = [&] {
      product.variants.clear();
      product.has_all_variants = true;
      ids.clear();
    };
    const auto add = [&](const json::value& variation) {
      ids.insert(clean_identifier(woo::member(&variation, "id")).value_or(""));
      woo::add_variant(variation, *units_, product);
    };
    auto failure = co_await read_part(
        "wc/v3/products/" + product.external_id + "/variations",
        {{"_fields", std::string(woo::variation_fields)}, {"order", "asc"}, {"orderby", "id"}},
        WooCursor::page_size, begin, add, "Its variations", "The product has more than 5000 variations.");
    // A list that changes while its pages are read may skip a variation.
    for (const auto* const id : elements_of(woo::member(&row, "variations"))) {
      if (!ids.contains(clean_identifier(id).value_or(""))) product.has_all_variants = false;
    }
    co_return failure;
  }

  WooClient client_;
  WooTracking tracking_;
  std::optional<woo::Units> units_;
  PageSize order_pages_{WooCursor::page_size};
  PageSize bin_pages_{WooCursor::page_size};
  PageSize product_pages_{WooCursor::page_size};
  int failed_parts_ = 0;  // in a row
};

// True for the unsigned test call that WooCommerce makes when a webhook is saved: `webhook_id=7`.
bool is_ping(std::string_view body) {
  constexpr std::string_view name = "webhook_id=";
  body = trimmed(body);
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
  if (call.header("x-wc-webhook-topic") == "order.deleted") {
    const auto body = json_in(call.body);
    if (body) verdict.deleted_order = clean_identifier(woo::member(&*body, "id"), 200);
  }
  return verdict;
}

}  // namespace waybill::connectors
